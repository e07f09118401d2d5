//! Every row of the seed documents' demands names the tests that show it, or says why it is open.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A demand: `A1` to `A20` are about tools, `B1` to `B9` about the gateway's endpoints, `C1` to `C11` about MCP servers and
/// the page for them, `D1` to `D8` about the client that speaks to them.
struct Row {
    id: &'static str,
    /// File, and the name of a test in it.
    tests: &'static [(&'static str, &'static str)],
    /// What is still missing, and why; empty if the row is done.
    open: &'static str,
}

const fn done(id: &'static str, tests: &'static [(&'static str, &'static str)]) -> Row {
    Row { id, tests, open: "" }
}

const fn open(id: &'static str, tests: &'static [(&'static str, &'static str)], open: &'static str) -> Row {
    Row { id, tests, open }
}

const HERE: &str = "compiler/tests/requirements.rs";
const SPECS: &str = "compiler/tests/specs.rs";
const REST: &str = "proxy/tests/protocol/rest.rs";
const CALLS: &str = "proxy/tests/protocol/calls.rs";
const UPSTREAMS: &str = "tests/tests/edge_upstreams.rs";
const OBSERVE: &str = "proxy/tests/protocol/observe.rs";
const AUDIT: &str = "proxy/src/telemetry/audit/tests.rs";
const KILL: &str = "proxy/tests/command/audit/kill.rs";
const METRICS: &str = "proxy/src/telemetry/metrics/tests.rs";
const LIMITS: &str = "tests/tests/edge_limits.rs";
const CACHE: &str = "tests/tests/edge_cache.rs";
const IDENTITY: &str = "proxy/tests/protocol/identity.rs";
const TOKENS: &str = "tests/tests/edge_identity.rs";
const CERTIFICATES: &str = "proxy/tests/mtls.rs";
const REPEAT: &str = "proxy/src/upstream/http/tests/repeat.rs";

const MCP: &str = "compiler/tests/mcp_servers.rs";
const MCP_PROPERTIES: &str = "compiler/tests/mcp_properties.rs";
const DRAFTS: &str = "compiler/src/servers/tests/drafts.rs";
const SERVERS: &str = "proxy/tests/servers/calls.rs";
const SERVER_PROPERTIES: &str = "proxy/tests/servers/properties.rs";
const MCP_CALL: &str = "proxy/src/upstream/mcp/call.rs";
const RETRY: &str = "proxy/src/upstream/http/retry.rs";
const RETRY_TEST: &str =
    "property_8_transient_failures_of_a_server_are_tried_again_after_one_second_that_doubles_to_ten";
const SHAPE: &str = "bundle/src/shape/tests/mcp.rs";
const STDIO: &str = "tests/tests/edge_stdio.rs";
const STUDIO: &str = "compiler/src/studio/tests/servers.rs";
const STUDIO_EDITS: &str = "compiler/src/studio/edits/tests.rs";
const IMPORT: &str = "tests/tests/mcp_import.rs";
const FORMS: &str = "tests/studio/forms.test.mjs";

const ROWS: &[Row] = &[
    done("A1", &[(HERE, "a1_the_long_names_mean_what_the_short_ones_mean")]),
    done("A2", &[(HERE, "a2_a_parameter_without_position_goes_into_the_body_and_an_unknown_one_is_refused")]),
    done("A3", &[(HERE, "a3_each_argument_goes_where_its_position_says")]),
    done("A4", &[(HERE, "a4_path_arguments_are_percent_encoded")]),
    done("A5", &[(HERE, "a5_placeholders_and_path_parameters_belong_together")]),
    done(
        "A6",
        &[
            (HERE, "a6_header_names_obey_http_and_some_are_never_set"),
            (HERE, "a6_header_names_beyond_letters_digits_and_hyphens_are_a_warning"),
        ],
    ),
    done("A7", &[(HERE, "a7_templates_of_both_dialects_turn_answers_into_text")]),
    done(
        "A8",
        &[
            (HERE, "a8_without_a_template_the_raw_answer_goes_back_and_with_a_failing_one_both"),
            (REST, "a_response_that_cannot_be_rendered_is_in_the_details"),
            ("tests/tests/edge_answers.rs", "an_empty_template_gives_the_raw_response"),
        ],
    ),
    done("A9", &[(HERE, "a9_templates_are_compiled_into_the_bundle_and_nothing_parses_them_later")]),
    done(
        "A10",
        &[
            ("proxy/tests/protocol/lists.rs", "pages_follow_each_other_to_the_last"),
            (REST, "the_api_lists_page_by_page"),
            (IDENTITY, "every_interface_shows_a_caller_its_own_tools"),
            (IDENTITY, "the_tenant_of_the_rest_form_is_the_callers_own"),
        ],
    ),
    done(
        "A11",
        &[
            (CALLS, "arguments_go_upstream_and_the_answer_comes_back"),
            (CALLS, "arguments_that_the_tool_does_not_take_are_a_result_that_says_what_to_change"),
            (REST, "the_api_calls_a_tool_and_gives_the_result_as_it_is"),
        ],
    ),
    done(
        "A12",
        &[
            (AUDIT, "a_call_is_told_with_all_that_is_known"),
            (AUDIT, "sensitive_values_are_written_in_no_mode"),
            (OBSERVE, "every_message_of_mcp_is_observed_once"),
            (KILL, "a_process_that_is_killed_a_hundred_times_breaks_no_line_and_loses_none_that_was_flushed"),
        ],
    ),
    done("A13", &[(HERE, "a13_a_finding_has_file_line_column_rule_and_help")]),
    done(
        "A14",
        &[
            (HERE, "a14_paths_cannot_traverse_and_headers_cannot_break_lines"),
            (HERE, "a14_templates_are_limited"),
        ],
    ),
    done(
        "A15",
        &[
            (IDENTITY, "without_a_credential_nobody_gets_in"),
            (IDENTITY, "a_hidden_tool_is_unknown_word_for_word"),
            (TOKENS, "good_tokens_of_every_kind_get_in"),
            (TOKENS, "tokens_that_are_wrong_in_any_way_stay_out"),
            (TOKENS, "a_process_asks_for_tokens_and_follows_its_file_of_tenants"),
            (CERTIFICATES, "a_known_name_is_a_login_and_any_other_certificate_is_none"),
        ],
    ),
    done(
        "A16",
        &[
            (METRICS, "calls_are_counted_by_tool_and_outcome"),
            (METRICS, "the_first_tenants_that_call_have_labels_and_keep_them"),
            (METRICS, "latency_is_split_into_upstream_and_proxy"),
            (METRICS, "binding_and_rendering_are_measured_where_a_call_was"),
            (METRICS, "the_dashboard_the_alerts_and_the_docs_name_metrics_that_exist"),
            ("proxy/src/telemetry/logging/mod.rs", "a_call_is_one_json_line"),
            (CACHE, "an_answer_is_used_again_in_every_interface"),
        ],
    ),
    done(
        "A17",
        &[
            (HERE, "a17_timeouts_and_retries_are_per_tool_and_optional"),
            (HERE, "a17_a_body_on_get_is_a_warning_and_is_sent"),
            (SPECS, "a17_the_seed_configuration_is_expressed_one_to_one_with_warnings_only"),
            (REPEAT, "an_attempt_that_takes_too_long_is_tried_again"),
            (REPEAT, "only_what_may_be_repeated_is_tried_again"),
        ],
    ),
    done(
        "A18",
        &[
            (HERE, "a18_each_kind_of_error_has_its_own_name"),
            (REST, "the_gateway_lists_every_problem_with_its_kind"),
        ],
    ),
    done(
        "A19",
        &[
            (SPECS, "a17_the_seed_configuration_is_expressed_one_to_one_with_warnings_only"),
            ("compiler/tests/import_gateways.rs", "a19_the_seed_configuration_is_imported_one_to_one"),
        ],
    ),
    done(
        "A20",
        &[
            (HERE, "a3_each_argument_goes_where_its_position_says"),
            (HERE, "a4_path_arguments_are_percent_encoded"),
            (HERE, "a7_templates_of_both_dialects_turn_answers_into_text"),
            (HERE, "a9_templates_are_compiled_into_the_bundle_and_nothing_parses_them_later"),
            ("compiler/tests/list_entries.rs", "the_generated_schema_says_what_binding_demands"),
            ("tests/tests/edge_outcomes.rs", "every_outcome_of_a_call_has_a_text_a_type_and_a_count"),
        ],
    ),
    done("B1", &[(REST, "the_gateway_lists_tools_with_their_parameters")]),
    done(
        "B2",
        &[
            (REST, "the_gateway_invokes_a_tool"),
            (REST, "the_gateways_result_is_the_structured_content_where_there_is_one"),
        ],
    ),
    done(
        "B3",
        &[
            (REST, "every_failure_of_the_gateway_has_a_type_and_a_status"),
            (UPSTREAMS, "failures_of_a_database_are_called_so"),
        ],
    ),
    done("B4", &[(SPECS, "b4_b5_the_real_specs_are_clean_and_their_examples_are_exact")]),
    done(
        "B5",
        &[
            (SPECS, "b4_b5_the_real_specs_are_clean_and_their_examples_are_exact"),
            ("tests/tests/node_knowledge.rs", "b5_the_specs_work_on_a_real_postgresql"),
        ],
    ),
    done(
        "B6",
        &[
            (LIMITS, "a_tool_has_a_rate"),
            (LIMITS, "tenants_and_keys_have_rates"),
            (LIMITS, "an_address_has_a_rate"),
            (IDENTITY, "without_a_credential_nobody_gets_in"),
            ("proxy/tests/protocol/paths.rs", "browsers_may_ask_first"),
        ],
    ),
    done(
        "B7",
        &[
            ("bundle/src/shape/results.rs", "lists_keep_their_first_elements_at_any_depth"),
            (UPSTREAMS, "lists_of_an_answer_are_cut"),
            (CACHE, "an_answer_is_used_again_in_every_interface"),
            (CACHE, "an_old_answer_serves_if_the_upstream_fails"),
        ],
    ),
    done(
        "B8",
        &[
            (OBSERVE, "every_message_of_mcp_is_observed_once"),
            (OBSERVE, "every_request_of_the_rest_forms_is_observed_once"),
            (METRICS, "the_rest_is_counted_too"),
        ],
    ),
    done(
        "B9",
        &[
            ("proxy/src/catalog/origins.rs", "an_upstream_is_where_its_variables_say"),
            ("proxy/src/catalog/origins.rs", "the_configuration_of_the_place_comes_first"),
            (UPSTREAMS, "the_place_says_where_an_upstream_is"),
            ("proxy/tests/protocol/interfaces.rs", "the_paths_of_an_interface_that_is_off_do_not_exist"),
            ("tests/tests/edge_interfaces.rs", "interfaces_are_switched_off_in_the_configuration"),
        ],
    ),
    done(
        "C1",
        &[
            (MCP, "each_server_has_its_transport_and_its_upstream"),
            (MCP_PROPERTIES, "property_2_only_http_and_https_are_urls"),
            (SERVERS, "a_server_that_speaks_a_newer_revision_only_is_named_so"),
            (METRICS, "the_dashboard_the_alerts_and_the_docs_name_metrics_that_exist"),
        ],
    ),
    done(
        "C2",
        &[
            (IMPORT, "tools_are_imported_pinned_called_and_compared"),
            (DRAFTS, "property_3_chosen_tools_are_in_the_spec"),
            (SERVERS, "a_tool_that_changed_is_not_called_and_its_neighbour_is"),
        ],
    ),
    done(
        "C3",
        &[
            (MCP, "a_tool_has_its_name_definition_and_retries"),
            (SHAPE, "a_result_is_passed_through"),
            (SERVER_PROPERTIES, "property_8_only_what_may_be_repeated_is_tried_again"),
            (RETRY, RETRY_TEST),
        ],
    ),
    done(
        "C4",
        &[
            (SERVERS, "answers_that_are_none_are_errors_with_codes"),
            (SHAPE, "errors_of_the_protocol_have_their_code"),
            (SHAPE, "what_is_no_response_is_an_error_that_shows_it"),
            (IMPORT, "servers_that_fail_are_named_with_code_and_advice"),
        ],
    ),
    done(
        "C5",
        &[
            (FORMS, "every type has its control"),
            (
                FORMS,
                "what is typed into the controls is what the form makes, and the edge's check accepts it",
            ),
            ("tests/studio/tools.test.mjs", "sending shows result, raw answer, sizes, tokens and time"),
        ],
    ),
    done(
        "C6",
        &[
            (MCP_PROPERTIES, "property_6_what_was_reviewed_comes_back_and_nothing_else_has_its_pin"),
            (STUDIO_EDITS, "property_6_a_text_comes_back_and_the_rest_stays"),
        ],
    ),
    done(
        "C7",
        &[
            (MCP_PROPERTIES, "property_7_variables_are_resolved_and_arguments_are_not"),
            (MCP_PROPERTIES, "property_7_what_is_no_variable_is_refused"),
            (MCP, "a_mapping_must_write_what_the_pinned_schema_takes"),
        ],
    ),
    open(
        "C8",
        &[("compiler/src/servers/preset.rs", "presets_make_specs_that_pass_the_rules")],
        "the presets were never tried against the real servers, which need an account",
    ),
    done(
        "C9",
        &[
            (MCP_CALL, "property_9_messages_are_logged_cut_and_secrets_never"),
            (STDIO, "requests_and_responses_are_in_the_debug_log"),
        ],
    ),
    done(
        "C10",
        &[
            (STUDIO, "a_server_is_added_and_comes_back_exactly_without_its_key"),
            (STUDIO, "a_server_is_tested_saved_or_not"),
            (STUDIO, "tools_are_chosen_dropped_and_pinned_again"),
            (STUDIO, "tools_are_called_chosen_or_not_and_no_key_is_shown"),
            (STUDIO, "a_server_is_deleted_with_its_file_and_comes_back"),
        ],
    ),
    done(
        "C11",
        &[
            (MCP_PROPERTIES, "property_1_a_server_is_planned_as_it_is_written"),
            (MCP_PROPERTIES, "property_2_a_url_is_kept_or_refused"),
            (DRAFTS, "property_1_a_spec_has_url_transport_and_auth"),
            (DRAFTS, "property_3_chosen_tools_are_in_the_spec"),
            (FORMS, "property 4: what a form is filled with is what it makes"),
            (SERVER_PROPERTIES, "property_5_a_call_brings_back_what_the_server_wrote_or_says_that_it_failed"),
            (DRAFTS, "property_6_what_is_saved_is_loaded"),
            (MCP_PROPERTIES, "property_7_variables_are_resolved_and_arguments_are_not"),
            (RETRY, RETRY_TEST),
            (MCP_CALL, "property_9_messages_are_logged_cut_and_secrets_never"),
        ],
    ),
    done(
        "D1",
        &[
            (SERVERS, "an_old_server_gets_a_handshake_and_a_session"),
            (STDIO, "tools_of_child_processes_are_called"),
            (
                "proxy/src/upstream/mcp/sse/tests/streams.rs",
                "the_stream_is_asked_for_and_messages_go_where_it_says",
            ),
        ],
    ),
    done("D2", &[(SERVERS, "a_modern_server_gets_one_request_with_its_headers")]),
    done(
        "D3",
        &[
            (SERVER_PROPERTIES, "a_hundred_servers_that_are_down_affect_only_their_own_tools"),
            (STDIO, "a_changed_entry_starts_that_server_anew_and_no_other"),
            (IMPORT, "the_servers_of_a_file_are_imported_and_one_that_is_down_stops_no_other"),
        ],
    ),
    done("D4", &[("diagnostics/src/mcp_servers/tests.rs", "a_client_file_is_read_as_it_is")]),
    done(
        "D5",
        &[
            (STDIO, "a_child_that_is_killed_is_started_again"),
            (
                "proxy/src/upstream/mcp/stdio/tests/ends.rs",
                "a_child_that_hangs_is_killed_with_its_descendants",
            ),
            ("proxy/src/upstream/mcp/sse/tests/ends.rs", "a_server_that_stays_silent_is_left"),
        ],
    ),
    done("D6", &[("proxy/src/upstream/mcp/stdio/tests/calls.rs", "one_call_at_a_time_is_sent_and_in_order")]),
    done(
        "D7",
        &[
            (SHAPE, "an_error_of_the_tool_stays_one"),
            (STDIO, "a_bundle_cannot_start_what_the_place_has_not_named"),
            (STDIO, "a_program_that_ends_at_once_is_marked_with_its_last_words_and_its_neighbour_goes_on"),
            (STDIO, "a_child_that_is_killed_is_started_again"),
            ("proxy/src/upstream/mcp/stdio/tests/words.rs", "text_before_the_first_message_is_skipped"),
        ],
    ),
    done(
        "D8",
        &[
            (STDIO, "tools_of_child_processes_are_called"),
            ("compiler/src/lint/rules/duplicate_tool.rs", "a_prefix_that_makes_the_name_free_is_suggested"),
        ],
    ),
];

#[test]
fn every_row_is_there_once_and_in_order() {
    let rows_of = |letter: char, most: u32| (1..=most).map(move |number| format!("{letter}{number}"));
    let expected: Vec<String> =
        rows_of('A', 20).chain(rows_of('B', 9)).chain(rows_of('C', 11)).chain(rows_of('D', 8)).collect();
    let rows: Vec<&str> = ROWS.iter().map(|row| row.id).collect();
    assert_eq!(rows, expected);
}

#[test]
fn every_row_names_its_tests_or_what_is_missing() {
    for row in ROWS {
        assert!(!row.tests.is_empty() || !row.open.is_empty(), "{}: neither done nor open", row.id);
    }
}

#[test]
fn every_named_test_exists_and_runs() {
    let missing: Vec<String> = ROWS
        .iter()
        .flat_map(|row| row.tests.iter().map(move |(file, name)| (row.id, file, name)))
        .filter(|(_, file, name)| match file.ends_with(".test.mjs") {
            true => !is_page_test(&source(file), name),
            false => !is_test(&source(file), name),
        })
        .map(|(id, file, name)| format!("{id}: no test `{name}` in {file}"))
        .collect();
    assert_eq!(missing, [""; 0]);
}

// A test whose name begins with a row's id belongs to that row.
#[test]
fn every_test_with_the_name_of_a_row_is_in_the_table() {
    let named: BTreeSet<&str> = ROWS.iter().flat_map(|row| row.tests).map(|(_, name)| *name).collect();
    for file in [HERE, SPECS] {
        let text = source(file);
        let tests = text.lines().filter_map(|line| line.strip_prefix("fn ")?.split('(').next());
        let of_rows = tests.filter(|name| row_of(name).is_some());
        let unnamed: Vec<&str> = of_rows.filter(|name| !named.contains(name)).collect();
        assert_eq!(unnamed, [""; 0], "{file}");
    }
}

#[test]
fn what_is_not_a_test_is_not_taken_for_one() {
    assert!(is_test("#[test]\nfn x() {\n", "x"));
    assert!(is_test("    #[tokio::test]\n    async fn x() {\n", "x"));
    assert!(is_page_test("test(\"x\", async () => {\n", "x"));
    for text in ["// test(\"x\", f)\n", "test(\"xy\", f)\n", "test(\"x\", { skip: true }, f)\n"] {
        assert!(!is_page_test(text, "x"), "{text}");
    }
    for text in ["fn x() {\n", "#[test]\nfn xy() {\n", "#[test]\n#[ignore]\nfn x() {\n", "// fn x()\n"] {
        assert!(!is_test(text, "x"), "{text}");
    }
}

/// The `a6` of `a6_header_names`.
fn row_of(name: &str) -> Option<&str> {
    let (id, _) = name.split_once('_')?;
    let number = id.strip_prefix(['a', 'b'])?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(id)
}

/// Whether a file has a function with this name and a `#[test]` of some kind right above it.
fn is_test(text: &str, name: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let opening = format!("fn {name}(");
    lines.iter().enumerate().any(|(index, line)| {
        let is_it = line.strip_prefix("async ").unwrap_or(line).starts_with(&opening);
        let attributes = || lines.iter().take(index).rev().take_while(|line| line.starts_with("#["));
        let runs = attributes().any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"));
        is_it && runs && !attributes().any(|line| line.starts_with("#[ignore"))
    })
}

/// Whether a file of tests of the page has one with this name.
fn is_page_test(text: &str, name: &str) -> bool {
    let opening = format!("test(\"{name}\", ");
    text.lines().any(|line| line.starts_with(&opening) && !line.contains("skip:"))
}

fn source(file: &str) -> String {
    let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf();
    std::fs::read_to_string(root.join(file)).unwrap_or_default()
}
