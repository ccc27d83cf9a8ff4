import { OpenRedaction } from "openredaction";
import { answer, replaceSpans } from "./adapter.mjs";

const redactor = new OpenRedaction();

await answer(async (text) => {
  const { detections } = await redactor.detect(text);
  return replaceSpans(
    text,
    detections.map(({ position }) => position),
  );
});
