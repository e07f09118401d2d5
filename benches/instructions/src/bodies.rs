//! The answers and templates that rendering is measured with.

use std::fmt::Write;

/// An answer, and a template for it in both dialects.
#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    pub body: String,
    pub go: &'static str,
    pub handlebars: &'static str,
}

const ORDER_GO: &str = "Order {{ .id }} of {{ .customer.name }} <{{ .customer.email }}>: {{ .status }}\n\
    {{- if .paid }} (paid){{ end }}\nTotal {{ .total }} {{ .currency }}, to {{ .city }}\n\
    {{- range .items }}\n- {{ .name }}{{ end }}";
const ORDER_HANDLEBARS: &str = "Order {{id}} of {{customer.name}} <{{customer.email}}>: {{status}}\
    {{#if paid}} (paid){{/if}}\nTotal {{total}} {{currency}}, to {{city}}\
    {{#each items}}\n- {{name}}{{/each}}";
const LIST_GO: &str = "{{ .count }} orders\n{{ range .orders }}- {{ .id }}: {{ .customer }}, {{ .city }}, {{ .status }}, \
    {{ .total }} {{ .currency }}{{ if .paid }} (paid){{ end }}\n{{ end }}";
const LIST_HANDLEBARS: &str = "{{count}} orders\n{{#each orders}}- {{id}}: {{customer}}, {{city}}, {{status}}, \
    {{total}} {{currency}}{{#if paid}} (paid){{/if}}\n{{/each}}";

/// The four answers that the bars are about.
pub fn cases() -> [Case; 4] {
    [
        Case { name: "300 B", body: order(), go: ORDER_GO, handlebars: ORDER_HANDLEBARS },
        list("4 KiB list", 20, 0),
        list("100 KiB list", 500, 0),
        // Some 2 KiB of each record are not read.
        list("1 MiB, little read", 450, 2_100),
    ]
}

/// A list of orders, each with some text that the template does not read.
pub fn list(name: &'static str, count: usize, unread: usize) -> Case {
    let mut body = format!("{{\"count\":{count},\"orders\":[");
    for number in 0..count {
        let comma = if number == 0 { "" } else { "," };
        let paid = number % 3 != 0;
        // Writing to a `String` cannot fail.
        let _ = write!(
            body,
            "{comma}{{\"id\":\"ord-{number:06}\",\"customer\":\"Customer {number}\",\"city\":\"Kristiansand\",\
             \"status\":\"shipped\",\"total\":{}.{:02},\"currency\":\"EUR\",\"paid\":{paid},\
             \"note\":\"left at the door of the neighbours, ring twice\",\"weight\":{}",
            number * 7 % 500,
            number % 10 * 10 + 5,
            number * 13
        );
        if unread > 0 {
            let _ = write!(body, ",\"history\":[");
            for event in 0..unread / 70 {
                let comma = if event == 0 { "" } else { "," };
                let _ = write!(
                    body,
                    "{comma}{{\"at\":\"2026-01-02T03:04:{:02}Z\",\"by\":\"robot-{event}\",\"ok\":true,\"n\":[1,2]}}",
                    event % 60
                );
            }
            body.push(']');
        }
        body.push('}');
    }
    body.push_str("]}");
    Case { name, body, go: LIST_GO, handlebars: LIST_HANDLEBARS }
}

fn order() -> String {
    "{\"id\":\"ord-000042\",\"status\":\"shipped\",\"paid\":true,\"total\":129.95,\"currency\":\"EUR\",\
     \"city\":\"Kristiansand\",\"customer\":{\"name\":\"Ada Lovelace\",\"email\":\"ada@example.com\"},\
     \"items\":[{\"name\":\"pen\",\"price\":3},{\"name\":\"paper, \\\"A4\\\"\",\"price\":5.5},\
     {\"name\":\"ink\",\"price\":12}],\"updated\":\"2026-01-02T03:04:05Z\"}"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_have_the_size_that_their_name_says() {
        let sizes = cases().map(|case| case.body.len());
        for (size, expected) in sizes.into_iter().zip([300, 4 << 10, 100 << 10, 1 << 20]) {
            assert!((expected * 9 / 10..expected * 11 / 10).contains(&size), "{size} for {expected}");
        }
    }
}
