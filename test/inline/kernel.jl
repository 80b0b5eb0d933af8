# Julia: LLVM.jl's `@asmcall`, and LLVM's assembly in `llvmcall`.
lane() = @asmcall("mov.u32 \$0, %laneid;", "=r", UInt32, Tuple{})
wrong() = @asmcall("mov.u33 \$0, %laneid;", "=r", UInt32, Tuple{}) # // error: [unknown-qualifier]
stop() = Base.llvmcall("""
    call void asm sideeffect "trapp;", ""() ; // error: [unknown-instruction]
    ret void""", Cvoid, Tuple{})
