// LAYER(symbol): every built-in layer, one line each, by name. The one place to add a layer.
LAYER(input)
LAYER(relu)
LAYER(embed)
LAYER(gru)
LAYER(innerproduct)
LAYER(lstm)
LAYER(memorydata)
