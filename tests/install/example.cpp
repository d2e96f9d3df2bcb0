// SPDX-License-Identifier: BSD-3-Clause
// example.cpp - the C++ header as an installed program sees it.
#include <ebb.hpp>
#include <iostream>

int main()
{
    ebb::net net;
    net.load_param_mem("7767517\n2 2\nInput data 0 1 data\nReLU relu 1 1 data out\n");
    net.load_weights_mem("", 0);
    ebb::extractor x(net);
    const float in[] = {-1, 42};
    x.borrow("data", ebb::planar(EBB_F32, {2}), in);
    std::cout << x.extract("out").values<float>()[1] << "\n";
}
