#include "core/policy/capacity/reservation.h"

namespace heddle {

constinit const Part<CapacityModel> kReservationPart{
    {.name = "reservation",
     .summary = "allowance minus the sum of requests",
     .good_at = "nothing is allocated twice, so memory never saturates unless allowances exceed "
                "capacities.",
     .bad_at = "jobs that request more than they use: the unused part stays idle.",
     .source = "Hadoop YARN"},
    &make_part<CapacityModel, ReservationModel>};

}  // namespace heddle
