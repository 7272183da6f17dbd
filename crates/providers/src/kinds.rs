aside_diagnostic::kinds! {
    /// The wire of the provider has no place for a part of the request, which was left out or
    /// changed.
    CONVERSION_LOSS = warning "conversion-loss";
}
