// kafkajs (npm install kafkajs). Its logger writes a line for every group otherwise.
import { Kafka, logLevel } from "kafkajs";

const kafka = new Kafka({
  brokers: [process.env.KASSAY_BOOTSTRAP],
  logLevel: logLevel.NOTHING,
  retry: { initialRetryTime: 1, maxRetryTime: 1, retries: Number.MAX_SAFE_INTEGER },
});
const consumer = kafka.consumer({ groupId: process.env.KASSAY_GROUP });
await consumer.connect();
await consumer.subscribe({ topics: process.env.KASSAY_TOPICS.split(",") });
await consumer.run({ eachMessage: async () => {} });
