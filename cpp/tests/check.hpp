// A test framework of one header: TEST(name) { ... CHECK(condition); CHECK_NEAR(a, b, tolerance); }
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace check {

struct Test {
  const char* name;
  void (*body)();
};

inline std::vector<Test>& registry() {
  static std::vector<Test> tests;
  return tests;
}

struct Registration {
  Registration(const char* name, void (*body)()) { registry().push_back({name, body}); }
};

inline bool failed = false;  // in the test that is running

inline void report(bool holds, const char* file, int line, const char* text) {
  if (holds) return;
  failed = true;
  std::printf("%s:%d: %s\n", file, line, text);
}

inline void report_near(double a, double b, double tolerance, const char* file, int line,
                        const char* text) {
  if (a == b || std::fabs(a - b) <= tolerance) return;
  failed = true;
  std::printf("%s:%d: %s: %.17g and %.17g differ by more than %g\n", file, line, text, a, b,
              tolerance);
}

// Those whose name has one of the parts; with no parts, all.
inline std::vector<Test> chosen(const std::vector<std::string>& parts) {
  std::vector<Test> tests;
  for (const Test& test : registry()) {
    const auto named = [&](const std::string& part) {
      return std::string(test.name).find(part) != std::string::npos;
    };
    if (parts.empty() || std::any_of(parts.begin(), parts.end(), named)) tests.push_back(test);
  }
  return tests;
}

inline int run(const std::vector<std::string>& parts) {
  int n_failed = 0;
  const std::vector<Test> tests = chosen(parts);
  for (const Test& test : tests) {
    failed = false;
    test.body();
    if (failed) std::printf("FAILED %s\n", test.name);
    n_failed += failed ? 1 : 0;
  }
  std::printf("%d passed, %d failed\n", static_cast<int>(tests.size()) - n_failed, n_failed);
  return n_failed == 0 && !tests.empty() ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                      \
  static void name();                                                   \
  static const check::Registration registration_of_##name(#name, name); \
  static void name()
#define CHECK(condition) check::report((condition), __FILE__, __LINE__, #condition)
#define CHECK_NEAR(a, b, tolerance) \
  check::report_near((a), (b), (tolerance), __FILE__, __LINE__, #a " ~ " #b)
