// Tests that scripts/deploy/kubernetes.yaml has what the API requires of its objects (Kubernetes
// API reference v1.30: Service v1, Job batch/v1) and what Heddle requires of its pods; that names
// which refer to each other agree; and that options exist.

#include <yaml-cpp/yaml.h>

#include <map>
#include <set>

#include "common/file.h"
#include "tests/support/matchers.h"

namespace heddle::kubernetes_test {

std::vector<std::string> words(const YAML::Node& list) {
  return list ? list.as<std::vector<std::string>>() : std::vector<std::string>();
}

class Kubernetes : public ::testing::Test {
 protected:
  Kubernetes() {
    for (const YAML::Node& object :
         YAML::LoadAllFromFile(HEDDLE_SOURCE_DIR "/scripts/deploy/kubernetes.yaml"))
      objects_[object["kind"].as<std::string>() + " " +
               object["metadata"]["name"].as<std::string>()] = object;
  }
  YAML::Node pod(const std::string& job) { return objects_.at("Job " + job)["spec"]["template"]; }
  YAML::Node container(const std::string& job) { return pod(job)["spec"]["containers"][0]; }

  std::map<std::string, YAML::Node> objects_;
};

TEST_F(Kubernetes, HasTheObjectsOfARun) {
  std::map<std::string, std::string> versions;
  for (const auto& [name, object] : objects_)
    versions[name] = object["apiVersion"].as<std::string>();
  EXPECT_EQ(versions, (std::map<std::string, std::string>{{"Job heddle-master", "batch/v1"},
                                                          {"Job heddle-workers", "batch/v1"},
                                                          {"Service heddle-master", "v1"}}));
}

TEST_F(Kubernetes, FieldsAreThoseOfTheApi) {
  const std::map<std::string, std::set<std::string>> known = {
      {"top", {"apiVersion", "kind", "metadata", "spec"}},
      {"job", {"backoffLimit", "completions", "parallelism", "completionMode", "template"}},
      {"pod",
       {"restartPolicy", "initContainers", "containers", "volumes", "topologySpreadConstraints"}},
      {"container",
       {"name", "image", "command", "ports", "resources", "volumeMounts", "securityContext"}}};
  const auto check = [&](const std::string& kind, const YAML::Node& map) {
    for (const auto& item : map)
      EXPECT_THAT(known.at(kind), Contains(item.first.as<std::string>()));
  };
  for (const auto& [name, object] : objects_) {
    check("top", object);
    if (!name.starts_with("Job")) continue;
    check("job", object["spec"]);
    const YAML::Node spec = object["spec"]["template"]["spec"];
    check("pod", spec);
    EXPECT_THAT((std::set<std::string>{"Never", "OnFailure"}),
                Contains(spec["restartPolicy"].as<std::string>()));
    for (const char* list : {"initContainers", "containers"})
      for (const YAML::Node& container : spec[list]) {
        check("container", container);
        EXPECT_FALSE(container["name"].as<std::string>().empty());
        EXPECT_FALSE(container["image"].as<std::string>().empty());
        EXPECT_FALSE(words(container["command"]).empty());
      }
  }
}

TEST_F(Kubernetes, EveryMountHasItsVolume) {
  for (const char* job : {"heddle-master", "heddle-workers"}) {
    const YAML::Node spec = pod(job)["spec"];
    std::set<std::string> volumes;
    for (const YAML::Node& volume : spec["volumes"]) {
      EXPECT_EQ(volume.size(), 2U) << "its name and its one source";
      EXPECT_TRUE(volumes.insert(volume["name"].as<std::string>()).second);
    }
    for (const char* list : {"initContainers", "containers"})
      for (const YAML::Node& container : spec[list])
        for (const YAML::Node& mount : container["volumeMounts"]) {
          EXPECT_THAT(volumes, Contains(mount["name"].as<std::string>()));
          EXPECT_TRUE(mount["mountPath"].as<std::string>().starts_with("/"));
        }
  }
}

TEST_F(Kubernetes, WorkersFindTheMaster) {
  const YAML::Node service = objects_.at("Service heddle-master")["spec"];
  EXPECT_EQ(service["selector"]["app"].as<std::string>(),
            pod("heddle-master")["metadata"]["labels"]["app"].as<std::string>());
  const std::string port = service["ports"][0]["port"].as<std::string>();
  EXPECT_EQ(container("heddle-master")["ports"][0]["containerPort"].as<std::string>(), port);
  EXPECT_THAT(words(container("heddle-master")["command"]),
              IsSupersetOf({std::string("--bind"), "tcp://0.0.0.0:" + port}));
  EXPECT_THAT(words(container("heddle-workers")["command"]),
              IsSupersetOf({std::string("--connect"), "tcp://heddle-master:" + port}));
}

TEST_F(Kubernetes, WorkersHaveWhatControlGroupsTakeAndKeysAreFromSecrets) {
  const YAML::Node worker = container("heddle-workers");
  EXPECT_TRUE(worker["securityContext"]["privileged"].as<bool>());
  EXPECT_EQ(words(worker["command"])[0], "heddle-worker");  // no shell in its control group
  for (const char* what : {"cpu", "memory"})
    EXPECT_EQ(worker["resources"]["limits"][what].as<std::string>(),
              worker["resources"]["requests"][what].as<std::string>());
  EXPECT_EQ(pod("heddle-workers")["spec"]["volumes"][0]["secret"]["secretName"].as<std::string>(),
            "heddle-worker-keys");
  EXPECT_EQ(pod("heddle-master")["spec"]["volumes"][0]["secret"]["secretName"].as<std::string>(),
            "heddle-master-keys");
  const YAML::Node workers = objects_.at("Job heddle-workers")["spec"];
  EXPECT_EQ(workers["completions"].as<int>(), workers["parallelism"].as<int>());
}

// The command lines use only options that the programs have.
TEST_F(Kubernetes, OptionsExist) {
  const auto options = [](const YAML::Node& container) {
    std::vector<std::string> quoted;
    for (const std::string& word : words(container["command"]))
      if (word.starts_with("--")) quoted.push_back("\"" + word + "\"");
    return quoted;
  };
  const std::string worker = *read_file(HEDDLE_SOURCE_DIR "/worker/main.cc");
  const std::string heddle = *read_file(HEDDLE_SOURCE_DIR "/cli/options/heddle_options.cc") +
                             *read_file(HEDDLE_SOURCE_DIR "/cli/options/run_words.cc");
  for (const std::string& option : options(container("heddle-workers")))
    EXPECT_NE(worker.find(option), std::string::npos) << option;
  for (const std::string& option : options(container("heddle-master")))
    EXPECT_NE(heddle.find(option), std::string::npos) << option;
}

}  // namespace heddle::kubernetes_test
