# Mojo
fn lane() -> UInt32:
    return inlined_assembly["mov.u32 $0, %laneid;", UInt32, constraints="=r", has_side_effect=False]()
fn wrong() -> UInt32:
    return inlined_assembly["mov.u33 $0, %laneid;", UInt32, constraints="=r"]()  # // error: [unknown-qualifier]
