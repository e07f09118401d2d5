//! Enums that a bundle contains, each variant with an explicit wire tag.
//!
//! A tag is never reused and never renumbered: derived serde tags would follow the order of
//! declaration, and reordering two lines would silently change what old bundles mean.

/// Declares a fieldless enum whose wire form is one byte and whose spec form is a word.
macro_rules! tags {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$variant_meta:meta])* $variant:ident = $tag:literal, $word:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$variant_meta])* $variant,)+ }

        impl $name {
            /// Every variant, in the order of declaration.
            pub const ALL: &[$name] = &[$($name::$variant,)+];

            /// The wire tag.
            pub const fn tag(self) -> u8 {
                match self { $($name::$variant => $tag,)+ }
            }

            /// The variant of a wire tag.
            pub const fn from_tag(tag: u8) -> Option<$name> {
                match tag { $($tag => Some($name::$variant),)+ _ => None }
            }

            /// The word that a spec uses for it.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)+ }
            }

            /// The variant that a spec's word names.
            pub fn from_word(word: &str) -> Option<$name> {
                match word { $($word => Some($name::$variant),)+ _ => None }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u8(self.tag())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let tag = u8::deserialize(deserializer)?;
                $name::from_tag(tag).ok_or_else(|| serde::de::Error::custom(concat!("unknown ", stringify!($name), " tag")))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use tags;

tags! {
    /// HTTP methods a tool may use.
    pub enum Method {
        Get = 1, "GET";
        Head = 2, "HEAD";
        Post = 3, "POST";
        Put = 4, "PUT";
        Patch = 5, "PATCH";
        Delete = 6, "DELETE";
        Options = 7, "OPTIONS";
    }
}

impl Method {
    /// Safe methods change nothing upstream (RFC 9110 §9.2.1): their answers may be cached.
    pub const fn is_safe(self) -> bool {
        matches!(self, Method::Get | Method::Head | Method::Options)
    }

    /// Idempotent methods may be retried (RFC 9110 §9.2.2).
    pub const fn is_idempotent(self) -> bool {
        self.is_safe() || matches!(self, Method::Put | Method::Delete)
    }
}

tags! {
    /// Where in the upstream request an argument is placed.
    pub enum Position {
        Path = 1, "path";
        Query = 2, "query";
        Header = 3, "header";
        Cookie = 4, "cookie";
        Body = 5, "body";
    }
}

tags! {
    /// How an array or object is written where the wire has only text.
    pub enum Style {
        /// `ids=1&ids=2`
        Repeat = 1, "repeat";
        /// `ids=1,2`
        Comma = 2, "comma";
        /// `ids=1%202`
        Space = 3, "space";
        /// `ids=1%7C2`
        Pipe = 4, "pipe";
        /// `filter[status]=open`
        Deep = 5, "deep";
        /// The JSON text itself, encoded for its place.
        Json = 6, "json";
    }
}

tags! {
    /// How the request body is written.
    pub enum BodyKind {
        None = 1, "none";
        Json = 2, "json";
        Form = 3, "form";
        /// One parameter is the whole body: its JSON text, or the raw text of a string.
        Whole = 4, "whole";
        /// A template writes it.
        Template = 5, "template";
        /// Parts of `multipart/form-data`.
        Multipart = 6, "multipart";
        /// One parameter, which is base64, is the whole body as bytes.
        Bytes = 7, "bytes";
    }
}

tags! {
    /// One step of writing a JSON, form or multipart body.
    pub enum BodyOpKind {
        /// Opens the nested object `name`.
        Open = 1, "open";
        /// Closes the innermost open object; an object without members is taken back.
        Close = 2, "close";
        /// Writes one member.
        Field = 3, "field";
        /// Writes one part of a multipart body, with the bytes of an argument in base64.
        File = 4, "file";
    }
}

tags! {
    /// What a piece of a URL, header or body is made of.
    pub enum PartKind {
        /// `id` is a string of the pool, already encoded for its place.
        Literal = 1, "literal";
        /// `id` is the index of a parameter of the tool.
        Parameter = 2, "parameter";
        /// `id` is the index of a variable of the manifest, resolved when the bundle is activated.
        Variable = 3, "variable";
        /// The caller's tenant, known per request; `id` is 0.
        TenantId = 4, "tenant.id";
        /// The caller's subject, known per request; `id` is 0.
        PrincipalSub = 5, "principal.sub";
        /// `id` is the index of a template, whose data are the arguments.
        Template = 6, "template";
    }
}

tags! {
    /// URL schemes of upstreams.
    pub enum Scheme {
        Http = 1, "http";
        Https = 2, "https";
        /// No URL at all: a program that the place names, spoken to over its standard input and output.
        Stdio = 3, "stdio";
    }
}

tags! {
    /// How messages get to an MCP server.
    pub enum Transport {
        /// Streamable HTTP, of both eras.
        Http = 1, "http";
        /// HTTP+SSE, of revision 2024-11-05.
        Sse = 2, "sse";
        /// Standard input and output of a child process.
        Stdio = 3, "stdio";
    }
}

tags! {
    /// What becomes of a tool whose definition at its server is not the one that was reviewed.
    pub enum OnDrift {
        /// It is not called until the definition is reviewed again.
        Refuse = 1, "refuse";
        /// It is called; the difference is only reported.
        Warn = 2, "warn";
    }
}

tags! {
    /// What a limit that edges share does while they cannot agree, because their store does not answer.
    pub enum WhenAway {
        Share = 1, "share";
        Refuse = 2, "refuse";
    }
}

tags! {
    /// How the edge shows an upstream that it may ask.
    pub enum CredentialKind {
        /// A name and a password, as HTTP itself has them.
        Basic = 1, "basic";
        /// A token of a token server, for the edge as its client.
        ClientCredentials = 2, "oauth2";
        /// A token of a token server, in exchange for the caller's own (RFC 8693).
        Exchange = 3, "exchange";
    }
}

tags! {
    /// How a client shows a token server who it is.
    pub enum ClientAuth {
        /// With a header.
        Basic = 1, "basic";
        /// With two more pairs of the form.
        Post = 2, "post";
    }
}

tags! {
    /// The two template dialects.
    pub enum Dialect {
        Go = 1, "go";
        Handlebars = 2, "handlebars";
    }
}

tags! {
    /// String formats that argument binding enforces; any other `format` is only published.
    pub enum ValueFormat {
        Date = 1, "date";
        DateTime = 2, "date-time";
        Time = 3, "time";
        Uuid = 4, "uuid";
        Ipv4 = 5, "ipv4";
        Ipv6 = 6, "ipv6";
        Email = 7, "email";
        Uri = 8, "uri";
    }
}

tags! {
    /// Protocol revisions with a `tools/list` form of their own, oldest first.
    pub enum ProtocolVersion {
        V20241105 = 1, "2024-11-05";
        V20250326 = 2, "2025-03-26";
        V20250618 = 3, "2025-06-18";
        V20251125 = 4, "2025-11-25";
        V20260728 = 5, "2026-07-28";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_wire<T: Copy + PartialEq + std::fmt::Debug>(
        all: &[T],
        expected: &[(u8, &str)],
        tag: fn(T) -> u8,
        word: fn(T) -> &'static str,
        back: fn(u8) -> Option<T>,
    ) {
        let actual: Vec<(u8, &str)> = all.iter().map(|&v| (tag(v), word(v))).collect();
        assert_eq!(actual, expected);
        for &variant in all {
            assert_eq!(back(tag(variant)), Some(variant));
        }
        assert_eq!(back(0), None);
        assert_eq!(back(255), None);
    }

    // These lists are the format. What is added needs a feature bit; any other change a new format version.
    #[test]
    fn wire_tags_never_change() {
        assert_wire(
            Method::ALL,
            &[(1, "GET"), (2, "HEAD"), (3, "POST"), (4, "PUT"), (5, "PATCH"), (6, "DELETE"), (7, "OPTIONS")],
            Method::tag,
            Method::as_str,
            Method::from_tag,
        );
        assert_wire(
            Position::ALL,
            &[(1, "path"), (2, "query"), (3, "header"), (4, "cookie"), (5, "body")],
            Position::tag,
            Position::as_str,
            Position::from_tag,
        );
        assert_wire(
            Style::ALL,
            &[(1, "repeat"), (2, "comma"), (3, "space"), (4, "pipe"), (5, "deep"), (6, "json")],
            Style::tag,
            Style::as_str,
            Style::from_tag,
        );
        assert_wire(
            BodyKind::ALL,
            &[
                (1, "none"),
                (2, "json"),
                (3, "form"),
                (4, "whole"),
                (5, "template"),
                (6, "multipart"),
                (7, "bytes"),
            ],
            BodyKind::tag,
            BodyKind::as_str,
            BodyKind::from_tag,
        );
        assert_wire(
            BodyOpKind::ALL,
            &[(1, "open"), (2, "close"), (3, "field"), (4, "file")],
            BodyOpKind::tag,
            BodyOpKind::as_str,
            BodyOpKind::from_tag,
        );
        assert_wire(
            PartKind::ALL,
            &[
                (1, "literal"),
                (2, "parameter"),
                (3, "variable"),
                (4, "tenant.id"),
                (5, "principal.sub"),
                (6, "template"),
            ],
            PartKind::tag,
            PartKind::as_str,
            PartKind::from_tag,
        );
        assert_wire(
            Scheme::ALL,
            &[(1, "http"), (2, "https"), (3, "stdio")],
            Scheme::tag,
            Scheme::as_str,
            Scheme::from_tag,
        );
        assert_wire(
            Transport::ALL,
            &[(1, "http"), (2, "sse"), (3, "stdio")],
            Transport::tag,
            Transport::as_str,
            Transport::from_tag,
        );
        assert_wire(
            OnDrift::ALL,
            &[(1, "refuse"), (2, "warn")],
            OnDrift::tag,
            OnDrift::as_str,
            OnDrift::from_tag,
        );
        assert_wire(
            WhenAway::ALL,
            &[(1, "share"), (2, "refuse")],
            WhenAway::tag,
            WhenAway::as_str,
            WhenAway::from_tag,
        );
        assert_wire(
            CredentialKind::ALL,
            &[(1, "basic"), (2, "oauth2"), (3, "exchange")],
            CredentialKind::tag,
            CredentialKind::as_str,
            CredentialKind::from_tag,
        );
        assert_wire(
            ClientAuth::ALL,
            &[(1, "basic"), (2, "post")],
            ClientAuth::tag,
            ClientAuth::as_str,
            ClientAuth::from_tag,
        );
        assert_wire(
            Dialect::ALL,
            &[(1, "go"), (2, "handlebars")],
            Dialect::tag,
            Dialect::as_str,
            Dialect::from_tag,
        );
        assert_wire(
            ValueFormat::ALL,
            &[
                (1, "date"),
                (2, "date-time"),
                (3, "time"),
                (4, "uuid"),
                (5, "ipv4"),
                (6, "ipv6"),
                (7, "email"),
                (8, "uri"),
            ],
            ValueFormat::tag,
            ValueFormat::as_str,
            ValueFormat::from_tag,
        );
        assert_wire(
            ProtocolVersion::ALL,
            &[(1, "2024-11-05"), (2, "2025-03-26"), (3, "2025-06-18"), (4, "2025-11-25"), (5, "2026-07-28")],
            ProtocolVersion::tag,
            ProtocolVersion::as_str,
            ProtocolVersion::from_tag,
        );
    }

    #[test]
    fn words_name_their_variant() {
        assert_eq!(Position::from_word("cookie"), Some(Position::Cookie));
        assert_eq!(Position::from_word("Cookie"), None);
    }
}
