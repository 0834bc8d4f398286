//! What the format of a request costs: the fixed layout on the wire, a compact binary codec, JSON.
#![allow(missing_docs, clippy::unwrap_used)] // made by a macro; a bench may panic

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::{Deserialize, Serialize};
use sweep_mpi::comm::{Order, Report};

/// The fields of an order for the codecs that read types.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct OrderFields {
    kind: i32,
    first: u64,
    count: u64,
}

/// The fields of a report.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct ReportFields {
    first: u64,
    count: u64,
    ok: u64,
    not_ok: u64,
    busy_ns: u64,
    wait_ns: u64,
}

const ORDER: OrderFields = OrderFields { kind: Order::FLY, first: 16_000, count: 1 };
const REPORT: ReportFields =
    ReportFields { first: 16_000, count: 1, ok: 1, not_ok: 0, busy_ns: 1_234_567, wait_ns: 690 };

/// Encodes and decodes an order and its report: one request.
fn request(c: &mut Criterion) {
    let mut group = c.benchmark_group("encoding of a request");
    group.throughput(Throughput::Elements(1));

    let order = Order { kind: ORDER.kind, first: ORDER.first, count: ORDER.count };
    let ReportFields { first, count, ok, not_ok, busy_ns, wait_ns } = REPORT;
    let report = Report { first, count, ok, not_ok, busy_ns, wait_ns, ..Report::default() };
    group.bench_function("fixed layout, 88 bytes", |b| {
        b.iter(|| {
            // through memory, as a message goes
            let words = (black_box(black_box(order).words()), black_box(black_box(report).words()));
            (Order::from_words(words.0), Report::from_words(words.1))
        });
    });

    let mut buffer = [0_u8; 128];
    let size = postcard::to_slice(&ORDER, &mut buffer).unwrap().len()
        + postcard::to_slice(&REPORT, &mut [0; 128]).unwrap().len();
    group.bench_function(format!("binary codec, {size} bytes"), |b| {
        b.iter(|| {
            let text = postcard::to_slice(black_box(&ORDER), &mut buffer).unwrap();
            let order: OrderFields = postcard::from_bytes(black_box(text)).unwrap();
            let text = postcard::to_slice(black_box(&REPORT), &mut buffer).unwrap();
            let report: ReportFields = postcard::from_bytes(black_box(text)).unwrap();
            (order, report)
        });
    });

    let mut text = Vec::with_capacity(256);
    let size = serde_json::to_vec(&ORDER).unwrap().len() + serde_json::to_vec(&REPORT).unwrap().len();
    group.bench_function(format!("JSON, {size} bytes"), |b| {
        b.iter(|| {
            text.clear();
            serde_json::to_writer(&mut text, black_box(&ORDER)).unwrap();
            let order: OrderFields = serde_json::from_slice(black_box(&text)).unwrap();
            text.clear();
            serde_json::to_writer(&mut text, black_box(&REPORT)).unwrap();
            let report: ReportFields = serde_json::from_slice(black_box(&text)).unwrap();
            (order, report)
        });
    });
    group.finish();
}

criterion_group!(benches, request);
criterion_main!(benches);
