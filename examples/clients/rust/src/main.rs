//! A consumer of krafka, a Kafka client in Rust alone; the strategy is its argument.
use krafka::Kafka;
use krafka::consumer::PartitionAssignmentStrategy::{CooperativeSticky, Range, RoundRobin};
use std::{env, time::Duration};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let strategy = match env::args().nth(1).as_deref() {
        Some("roundrobin") => RoundRobin,
        Some("cooperative-sticky") => CooperativeSticky,
        _ => Range,
    };
    let kafka = Kafka::builder(env::var("KASSAY_BOOTSTRAP")?)
        .connect()
        .await?;
    let consumer = kafka
        .consumer(env::var("KASSAY_GROUP")?)
        .partition_assignment_strategy(strategy)
        .build()
        .await?;
    let topics = env::var("KASSAY_TOPICS")?;
    consumer.subscribe(topics.split(',')).await?;
    loop {
        // it joins again with the next call; each error is one of a group that is over
        let _ = consumer.poll(Duration::from_millis(1)).await;
    }
}
