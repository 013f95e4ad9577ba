// @platformatic/kafka (npm install @platformatic/kafka). It keeps metadata for metadataMaxAge, also as a leader.
import { Consumer } from "@platformatic/kafka";

const consumer = new Consumer({
  clientId: "client",
  groupId: process.env.KASSAY_GROUP,
  bootstrapBrokers: [process.env.KASSAY_BOOTSTRAP],
  metadataMaxAge: 0,
  retryDelay: 1,
  retries: Number.MAX_SAFE_INTEGER,
});
const stream = await consumer.consume({ topics: process.env.KASSAY_TOPICS.split(",") });
stream.on("data", () => {});
