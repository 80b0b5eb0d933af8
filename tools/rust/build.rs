// $PTXRAY_LIB_DIR: where libptxray.so is, if the linker does not find it by itself.
fn main() {
    println!("cargo:rerun-if-env-changed=PTXRAY_LIB_DIR");
    if let Ok(folder) = std::env::var("PTXRAY_LIB_DIR") {
        println!("cargo:rustc-link-search=native={folder}");
    }
    println!("cargo:rustc-link-lib=dylib=ptxray");
}
