// SPDX-License-Identifier: BSD-3-Clause
// pipeline.c - compute pipelines. Rule: made when a net is loaded, shared by layers with the same shader,
// freed when the net forgets its model.
#include "internal.h"

static ebb_status make_layouts(ebb_vk *vk, ebb_vk_pipeline *p, ebb_error *e)
{
    VkDescriptorSetLayoutBinding binding[EBB_VK_MAX_BUFFERS];
    for (int i = 0; i < p->code.buffers; i++)
        binding[i] = (VkDescriptorSetLayoutBinding){.binding = (uint32_t)i, .descriptorCount = 1,
                                                    .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                                    .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT};
    const VkDescriptorSetLayoutCreateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                 .bindingCount = (uint32_t)p->code.buffers,
                                                 .pBindings = binding};
    EBB_VK_TRY(vk, CreateDescriptorSetLayout, (vk->device, &set, NULL, &p->set_layout));
    const VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, (uint32_t)p->code.push};
    const VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                               .setLayoutCount = 1, .pSetLayouts = &p->set_layout,
                                               .pushConstantRangeCount = p->code.push > 0,
                                               .pPushConstantRanges = &push};
    EBB_VK_TRY(vk, CreatePipelineLayout, (vk->device, &layout, NULL, &p->layout));
    return EBB_OK;
}

static ebb_status make(ebb_vk *vk, ebb_vk_pipeline *p, ebb_error *e)
{
    EBB_TRY(make_layouts(vk, p, e));
    VkShaderModule module;
    const VkShaderModuleCreateInfo code = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                           .codeSize = p->code.bytes, .pCode = p->code.words};
    EBB_VK_TRY(vk, CreateShaderModule, (vk->device, &code, NULL, &module));
    const VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main"},
        .layout = p->layout,
    };
    const VkResult r =
        vk->fn.CreateComputePipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &p->pipeline);
    vk->fn.DestroyShaderModule(vk->device, module, NULL);
    return ebb_vk_check(r, "vkCreateComputePipelines", e);
}

static void free_pipeline(ebb_vk *vk, ebb_vk_pipeline *p)
{
    vk->fn.DestroyPipeline(vk->device, p->pipeline, NULL);
    vk->fn.DestroyPipelineLayout(vk->device, p->layout, NULL);
    vk->fn.DestroyDescriptorSetLayout(vk->device, p->set_layout, NULL);
    ebb_heap_put(vk->heap, EBB_MEM_META, p, sizeof *p);
}

ebb_status ebb_vk_pipeline_new(ebb_vk *vk, const ebb_vk_code *code, const ebb_vk_pipeline **out, ebb_error *e)
{
    for (ebb_vk_pipeline *p = vk->pipelines; p; p = p->next)
        if (p->code.words == code->words) {
            *out = p;
            return EBB_OK;
        }
    if (code->buffers > EBB_VK_MAX_BUFFERS || code->push > EBB_VK_MAX_PUSH)
        return ebb_fail(e, EBB_E_UNSUPPORTED,
                        "a shader with %d buffers and %zu bytes of constants; at most %d and %d",
                        code->buffers, code->push, EBB_VK_MAX_BUFFERS, EBB_VK_MAX_PUSH);
    ebb_vk_pipeline *p = ebb_heap_zero(vk->heap, EBB_MEM_META, 1, sizeof *p);
    if (!p) return ebb_fail(e, EBB_E_NOMEM, "no memory for the %zu bytes of a pipeline", sizeof *p);
    p->code = *code;
    const ebb_status s = make(vk, p, e);
    if (s != EBB_OK) {
        free_pipeline(vk, p);
        return s;
    }
    p->next = vk->pipelines;
    *out = vk->pipelines = p;
    return EBB_OK;
}

void ebb_vk_pipelines_free(ebb_vk *vk)
{
    while (vk->pipelines) {
        ebb_vk_pipeline *p = vk->pipelines;
        vk->pipelines = p->next;
        free_pipeline(vk, p);
    }
}
