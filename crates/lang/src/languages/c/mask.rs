//! Text of C and C++ with the preprocessor's work undone as far as a grammar needs it: conditionals
//! resolved, macros in the place of attributes blanked. Offsets stay as they are.

use super::conditionals::conditionals;
use super::heads::attribute_macros;
use super::tokens::tokens;
use std::borrow::Cow;

/// Returns `text` with blanks in the place of what the grammar cannot read.
pub fn mask(text: &str) -> Cow<'_, str> {
    let mut tokens = tokens(text);
    let mut blanks = conditionals(text, &mut tokens);
    blanks.extend(attribute_macros(text, &tokens));
    if blanks.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    for (start, end) in blanks {
        for byte in &mut bytes[start..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    // Every range begins and ends at a token, so no character is cut.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let masked = mask(text);
        assert_eq!(masked.len(), text.len());
        assert_eq!(masked.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{text}");
    }

    #[test]
    fn attributes_go_and_types_stay() {
        check("UV_EXTERN int f(void);", "int f(void);");
        check("static INLINE int g(int a) { FOO x; }", "static int g(int a) { FOO x; }");
        check("BOOL WINAPI f(void) {}", "BOOL f(void) {}");
        check("DWORD x; FILE *f(void);", "DWORD x; FILE *f(void);");
        check("static int FOO(int a);", "static int FOO(int a);");
        check(
            "int printf_(const char *f, ...) API_PRINTF(1, 2);",
            "int printf_(const char *f, ...) ;",
        );
        check("struct A { int x_ GUARDED_BY(mu_); };", "struct A { int x_ ; };");
        check(
            "class MY_API Foo final : public Bar { MY_CONSTEXPR Foo(int x) : x_(x) {} };",
            "class Foo final : public Bar { Foo(int x) : x_(x) {} };",
        );
        check(
            "namespace a {\nA_NAMESPACE_BEGIN\nnamespace b {}\nA_NAMESPACE_END\n}",
            "namespace a { namespace b {} }",
        );
        check("A_NAMESPACE_END\n\nTEST(Foo, Bar) A_UNCHECKED { }", "TEST(Foo, Bar) { }");
        check("TEST(Foo, Bar) { X_Y(1); }", "TEST(Foo, Bar) { X_Y(1); }");
        check(
            "template <class T> A_DEPRECATED(\"x\") inline T f(T x A_BOUND) A_NOEXCEPT {}",
            "template <class T> inline T f(T x ) {}",
        );
        check("typedef int (CALLBACK_API *fn)(int);", "typedef int ( *fn)(int);");
        check("EXPORT_IT(static void f(struct s *s)) { }", "static void f(struct s *s) { }");
        check("int f(void) { LIST(X)\nLIST(Y)\nint a; Z(a); }", "int f(void) { int a; Z(a); }");
        check(
            "int f(void) { BEGIN_IT\nstruct s { int a; }; }",
            "int f(void) { struct s { int a; }; }",
        );
        check(
            "ref operator[](int i) A_BOUND { } inline A_TARGET const a::b *f(const char* nonnull p, T* A_RESTRICT q);",
            "ref operator[](int i) { } inline const a::b *f(const char* p, T* q);",
        );
        check("FOO_T bar_t::baz() {}", "FOO_T bar_t::baz() {}");
    }

    #[test]
    fn branches_that_cannot_stand_alone_go() {
        check("#ifdef A\nint f(int a)\n#else\nint f(void)\n#endif\n{ }", "int f(int a) { }");
        check("#ifdef A\nint a;\n#else\nint b;\n#endif", "int a; int b;");
        check("#if 0\nint a(;\n#else\nint b;\n#endif", "int b;");
        check(
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint a;\n#ifdef __cplusplus\n}\n#endif",
            "extern \"C\" { int a; }",
        );
    }

    #[test]
    fn strings_hide_nothing() {
        check(
            "const char *a = R\"x(\n#if 0\n\")x\"; API_X int f(void);",
            "const char *a = R\"x( #if 0 \")x\"; int f(void);",
        );
    }
}
