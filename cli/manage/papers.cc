#include "cli/manage/papers.h"

#include <algorithm>

#include "core/policy/registry.h"
#include "report/comparison/options.h"

namespace heddle::cli {
namespace {

using wire::Json;

bool is_part(std::string_view key) {
  return std::ranges::find(part_kinds(), key, &PartKind::name) != part_kinds().end();
}

bool has_value(const Json& policy, const PolicySpec& spec, const PolicyValue& wanted) {
  const auto value = policy.find(std::string(wanted.key));
  if (value == policy.end() || *value != wanted.value) return false;
  const Option* option = find_option(wanted.key);
  return is_part(wanted.key) || (option && reads(spec, *option));
}

}  // namespace

const std::vector<Paper>& papers() {
  static const std::vector<Paper> all = {
      {"drf",
       {{"scheduler", "drf"}},
       R"(@inproceedings{drf,
  author = {Ghodsi, Ali and Zaharia, Matei and Hindman, Benjamin and Konwinski, Andy and Shenker, Scott and Stoica, Ion},
  title = {Dominant Resource Fairness: Fair Allocation of Multiple Resource Types},
  booktitle = {8th USENIX Symposium on Networked Systems Design and Implementation (NSDI 11)},
  pages = {323--336},
  year = {2011}
})"},
      {"vector-bin-packing",
       {{"scheduler", "ffd-dp"}, {"scheduler", "haste"}, {"scheduler", "haste-a"}},
       R"(@techreport{vector-bin-packing,
  author = {Panigrahy, Rina and Talwar, Kunal and Uyeda, Lincoln and Wieder, Udi},
  title = {Heuristics for Vector Bin Packing},
  institution = {Microsoft Research},
  year = {2011}
})"},
      {"tetris",
       {{"scheduler", "ffd-dp"}, {"node_order", "dot-product"}},
       R"(@inproceedings{tetris,
  author = {Grandl, Robert and Ananthanarayanan, Ganesh and Kandula, Srikanth and Rao, Sriram and Akella, Aditya},
  title = {Multi-Resource Packing for Cluster Schedulers},
  booktitle = {ACM SIGCOMM 2014},
  pages = {455--466},
  year = {2014},
  doi = {10.1145/2619239.2626334}
})"},
      {"dress",
       {{"scheduler", "dress"}},
       R"(@inproceedings{dress,
  author = {Mao, Ying and Green, Victoria and Wang, Jiayin and Xiong, Haoyi and Guo, Zhishan},
  title = {{DRESS}: Dynamic {RESource}-Reservation Scheme for Congested Data-Intensive Computing Platforms},
  booktitle = {11th IEEE International Conference on Cloud Computing (CLOUD)},
  year = {2018},
  doi = {10.1109/CLOUD.2018.00095}
})"},
      {"haste",
       {{"scheduler", "haste"}, {"scheduler", "haste-a"}, {"scheduler", "ffd-dp"}},
       R"(@inproceedings{haste,
  author = {Yao, Yi and Wang, Jiayin and Sheng, Bo and Lin, Jason and Mi, Ningfang},
  title = {{HaSTE}: {Hadoop} {YARN} Scheduling Based on Task-Dependency and Resource-Demand},
  booktitle = {7th IEEE International Conference on Cloud Computing (CLOUD)},
  pages = {184--191},
  year = {2014}
})"},
      {"haste-a",
       {{"scheduler", "haste-a"}},
       R"(@article{haste-a,
  author = {Yao, Yi and Gao, Han and Wang, Jiayin and Sheng, Bo and Mi, Ningfang},
  title = {New Scheduling Algorithms for Improving Performance and Resource Utilization in {Hadoop} {YARN} Clusters},
  journal = {IEEE Transactions on Cloud Computing},
  volume = {9},
  number = {3},
  pages = {1158--1171},
  year = {2021},
  doi = {10.1109/TCC.2019.2894779}
})"},
      {"lifka-backfilling",
       {{"scheduler", "easy"}},
       R"(@inproceedings{lifka-backfilling,
  author = {Lifka, David A.},
  title = {The {ANL/IBM} {SP} Scheduling System},
  booktitle = {Job Scheduling Strategies for Parallel Processing (JSSPP)},
  series = {Lecture Notes in Computer Science},
  volume = {949},
  pages = {295--303},
  year = {1995}
})"},
      {"mualem-backfilling",
       {{"scheduler", "easy"}, {"scheduler", "conservative"}},
       R"(@article{mualem-backfilling,
  author = {Mu'alem, Ahuva W. and Feitelson, Dror G.},
  title = {Utilization, Predictability, Workloads, and User Runtime Estimates in Scheduling the {IBM} {SP2} with Backfilling},
  journal = {IEEE Transactions on Parallel and Distributed Systems},
  volume = {12},
  number = {6},
  pages = {529--543},
  year = {2001},
  doi = {10.1109/71.932708}
})"},
      {"tsafrir-predictions",
       {{"estimates", "last-two"}},
       R"(@article{tsafrir-predictions,
  author = {Tsafrir, Dan and Etsion, Yoav and Feitelson, Dror G.},
  title = {Backfilling Using System-Generated Predictions Rather than User Runtime Estimates},
  journal = {IEEE Transactions on Parallel and Distributed Systems},
  volume = {18},
  number = {6},
  pages = {789--803},
  year = {2007},
  doi = {10.1109/TPDS.2007.70606}
})"},
      {"tang-wfp3",
       {{"order", "wfp3"},
        {"order", "unicef"},
        {"backfill_order", "wfp3"},
        {"backfill_order", "unicef"}},
       R"(@inproceedings{tang-wfp3,
  author = {Tang, Wei and Lan, Zhiling and Desai, Narayan and Buettner, Daniel},
  title = {Fault-Aware, Utility-Based Job Scheduling on {Blue} {Gene/P} Systems},
  booktitle = {IEEE International Conference on Cluster Computing (CLUSTER)},
  year = {2009}
})"},
      {"carastan-f1",
       {{"order", "f1"}, {"backfill_order", "f1"}},
       R"(@inproceedings{carastan-f1,
  author = {Carastan-Santos, Danilo and de Camargo, Raphael Y.},
  title = {Obtaining Dynamic Scheduling Policies with Simulation and Machine Learning},
  booktitle = {International Conference for High Performance Computing, Networking, Storage and Analysis (SC)},
  year = {2017},
  doi = {10.1145/3126908.3126955}
})"},
      {"usage-slack",
       {{"capacity_model", "estimation"}},
       R"(@misc{usage-slack,
  note = {The paper on usage slack in {YARN}; docs/papers/estimation.md of {Heddle} describes it}
})",
       false},
      {"fgd",
       {{"node_order", "fgd"}},
       R"(@inproceedings{fgd,
  author = {Weng, Qizhen and Yang, Lingyun and Yu, Yinghao and Wang, Wei and Tang, Xiaochuan and Yang, Guodong and Zhang, Liping},
  title = {Beware of Fragmentation: Scheduling {GPU}-Sharing Workloads with Fragmentation Gradient Descent},
  booktitle = {2023 USENIX Annual Technical Conference (USENIX ATC 23)},
  pages = {995--1008},
  year = {2023}
})"},
      {"ikayak",
       {{"executor_placement", "reservation-aware"},
        {"reduce_adjustment", "suspend"},
        {"locality", "shrink"}},
       R"(@article{ikayak,
  author = {Cheng, Dazhao and Zhou, Xiaobo and Lama, Palden and Wu, Jun and Jiang, Changjun},
  title = {Cross-Platform Resource Scheduling for {Spark} and {MapReduce} on {YARN}},
  journal = {IEEE Transactions on Computers},
  volume = {66},
  number = {8},
  pages = {1341--1353},
  year = {2017}
})"},
      {"late",
       {{"predictor", "naive"}, {"predictor", "auto"}},
       R"(@inproceedings{late,
  author = {Zaharia, Matei and Konwinski, Andy and Joseph, Anthony D. and Katz, Randy and Stoica, Ion},
  title = {Improving {MapReduce} Performance in Heterogeneous Environments},
  booktitle = {8th USENIX Symposium on Operating Systems Design and Implementation (OSDI 08)},
  pages = {29--42},
  year = {2008}
})"},
      {"delay-scheduling",
       {{"delay", "mapreduce"}, {"delay", "spark"}, {"delay", "both"}},
       R"(@inproceedings{delay-scheduling,
  author = {Zaharia, Matei and Borthakur, Dhruba and Sen Sarma, Joydeep and Elmeleegy, Khaled and Shenker, Scott and Stoica, Ion},
  title = {Delay Scheduling: A Simple Technique for Achieving Locality and Fairness in Cluster Scheduling},
  booktitle = {5th European Conference on Computer Systems (EuroSys)},
  pages = {265--278},
  year = {2010},
  doi = {10.1145/1755913.1755940}
})"},
  };
  return all;
}

std::vector<const Paper*> papers_of(const Json& policy) {
  const PolicySpec spec = report::parts_of(policy);
  std::vector<const Paper*> used;
  for (const Paper& paper : papers())
    if (std::ranges::any_of(paper.uses,
                            [&](const PolicyValue& use) { return has_value(policy, spec, use); }))
      used.push_back(&paper);
  return used;
}

}  // namespace heddle::cli
