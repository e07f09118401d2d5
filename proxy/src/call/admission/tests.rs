use super::*;

#[test]
fn seconds_are_never_too_few() {
    for (millis, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (11_500, 12)] {
        assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds);
    }
}

#[test]
fn addresses_of_one_network_are_one() {
    let of = |address: &str| bucket_of(address.parse().unwrap());
    assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
    assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
    assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
    assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
}

#[test]
fn only_an_upstream_that_cannot_be_used_has_failed() {
    for (status, failed) in [(200, false), (404, false), (429, false), (500, false), (502, true), (504, true)]
    {
        assert_eq!(is_failure(&Ok(()), status), Some(failed), "{status}");
    }
    for (error, failed) in [
        (UpstreamError::Resolve, Some(true)),
        (UpstreamError::Connect(String::new()), Some(true)),
        (UpstreamError::Timeout(1), Some(true)),
        (UpstreamError::Closed, Some(true)),
        (UpstreamError::KeptClosed, None),
        (UpstreamError::Protocol, Some(true)),
        (UpstreamError::TooLarge { status: 200, limit: 1 }, Some(false)),
        (UpstreamError::NoRoom, None),
    ] {
        assert_eq!(is_failure(&Err(error.clone()), 0), failed, "{error}");
    }
}
