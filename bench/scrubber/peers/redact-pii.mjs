import redactPii from "redact-pii";
import { answer, mark } from "./adapter.mjs";

const redactor = new redactPii.SyncRedactor({ globalReplaceWith: mark });

await answer((text) => redactor.redact(text));
