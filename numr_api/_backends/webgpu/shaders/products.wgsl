// The high words of the products of words, four at a time; see long_product_u32.
fn high_products_u32(x: vec4<u32>, y: vec4<u32>) -> vec4<u32> {
    let x_low = x & vec4<u32>(0xffffu);
    let x_high = x >> vec4<u32>(16u);
    let y_low = y & vec4<u32>(0xffffu);
    let y_high = y >> vec4<u32>(16u);
    let middle = x_high * y_low + ((x_low * y_low) >> vec4<u32>(16u));
    let other = x_low * y_high + (middle & vec4<u32>(0xffffu));
    return x_high * y_high + (middle >> vec4<u32>(16u)) + (other >> vec4<u32>(16u));
}

// 1 where a sum of words, of which one was ``part``, passed 2^32.
fn carries_u32(sum: vec4<u32>, part: vec4<u32>) -> vec4<u32> {
    return select(vec4<u32>(0u), vec4<u32>(1u), sum < part);
}
