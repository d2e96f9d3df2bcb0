// KERNEL(name, arguments): every kernel, one line each. The one place to add a kernel: it becomes a field of
// ebb_kernels, and a function per instruction set that <stem>.kern.c defines with EBB_K(name).
KERNEL(relu_f32, (float *y, const float *x, size_t n, float slope))
