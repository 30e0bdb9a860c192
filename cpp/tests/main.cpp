#include "check.hpp"

// core_tests [part of a name ...]
int main(int argc, char** argv) { return check::run({argv + 1, argv + argc}); }
