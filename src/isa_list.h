// ISA(name, run-time test), weakest first. CMakeLists.txt has the compile flags of each, and defines EBB_HAVE_name.
ISA(scalar, 1)
#if defined(EBB_HAVE_avx2)
ISA(avx2, __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#endif
#if defined(EBB_HAVE_avx512)
ISA(avx512, __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
#endif
#if defined(EBB_HAVE_neon)
ISA(neon, 1)
#endif
#if defined(EBB_HAVE_neon32)
ISA(neon32, (getauxval(AT_HWCAP) >> 12 & 0x11) == 0x11) // NEON and VFPv4
#endif
