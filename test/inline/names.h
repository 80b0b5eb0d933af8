#pragma once
#define SUFFIX ".f32"
#define JOIN(a, b) a b
#define LOOP LOOP
