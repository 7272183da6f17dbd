//! Prints what is known of the models that are named as arguments.

fn main() {
    for id in std::env::args().skip(1) {
        println!("{id}: {:?}", aside_models::find(&id));
    }
}
