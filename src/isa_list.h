// ISA(name, run-time test), weakest first. CMakeLists.txt has the compile flags of each.
ISA(scalar, 1)
#if defined(__x86_64__)
ISA(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
ISA(avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                __builtin_cpu_supports("avx512dq"))
#elif defined(__aarch64__)
ISA(neon, 1)
#elif defined(__arm__)
ISA(neon32, (getauxval(AT_HWCAP) >> 12 & 0x11) == 0x11) // NEON and VFPv4
#endif
