import type { ErrorCode, Result } from "@tidemark/protocol";
import type { FC } from "hono/jsx";
import type { PublicUrls } from "../../auth/auth-deps.ts";
import type { Refusal } from "../gate.ts";
import type { SyncError } from "../../domain/sync-error.ts";
import { StoreUnavailable } from "../../store/store-unavailable.ts";
import { Empty, Run, SignInBy } from "../parts/bits.tsx";
import { read, type OwnVisit, type PageAnswer } from "../visit.ts";
import { counted } from "../words.ts";

/** What a browser is told that is not let to a page. */
export interface RefusalText {
  readonly title: string;
  readonly status: 400 | 401 | 403 | 421 | 429 | 500 | 503;
  readonly lines: readonly string[];
  readonly command?: string | undefined;
}

/** Says why, and what to do next. */
export function refusalOf(
  { kind }: Exclude<Refusal, { readonly kind: "not-fresh" }>,
  publicUrls: PublicUrls,
): RefusalText {
  switch (kind) {
    case "signed-out":
      return {
        title: "Sign in",
        status: 401,
        lines: [
          "There is no password. A device that is paired with this server opens the console for its person:",
        ],
        command: "tidemark console",
      };
    case "misdirected":
      return {
        title: "Not under this name",
        status: 421,
        lines: [
          `This server is called ${publicUrls[0]}. Open the console there, or tell the server its other names with --public-url.`,
        ],
      };
    case "needs-https":
      return {
        title: "The console needs HTTPS",
        status: 403,
        lines: [
          "Whoever shares this network could read a session that goes over plain HTTP. Put the server behind a proxy with a certificate, or open the console on the machine that it runs on.",
        ],
      };
    case "unclaimed":
      return {
        title: "This server has no owner yet",
        status: 503,
        lines: ["Open the link that it printed at its start, on your first device."],
        command: "tidemark-server setup-link",
      };
    case "too-fast":
      return { title: "A little slower", status: 429, lines: ["Try again in a minute."] };
    case "foreign-form":
      return {
        title: "Not from here",
        status: 403,
        lines: [
          "This form did not come from a page of this console, or from one of an earlier session. Nothing was changed. Go back, reload the page and try again.",
        ],
      };
    case "bad-form":
      return {
        title: "Not understood",
        status: 400,
        lines: ["That was no form of this console. Nothing was changed."],
      };
  }
}

/** Says that the server could not, and of a form that nobody knows whether it was taken. */
export function failureOf({
  code,
  isForm,
  requestId,
}: {
  readonly code: ErrorCode;
  readonly isForm: boolean;
  readonly requestId: string;
}): RefusalText {
  const next = isForm
    ? "What you asked for may have been done or not. Go back in a moment, reload the page and look before you do it again."
    : "Reload this page in a moment.";
  if (code === "unavailable") {
    const reason = "The server is here, and its database does not answer it now.";
    return { title: "Not at the moment", status: 503, lines: [reason, next] };
  }
  const reason = `Something went wrong in the server. Its log says where, under ${requestId}.`;
  return { title: "That did not work", status: 500, lines: [reason, next] };
}

/** What was read; undefined where it is not there for who asks. That the database is away is no such answer. */
export function shown<T>(result: Result<T, SyncError>): T | undefined {
  if (result.ok) return result.value;
  if (isUnread(result)) throw new StoreUnavailable(result.error);
  return undefined;
}

/** Whether nobody knows what would have been read. */
export function isUnread(result: Result<unknown, SyncError>): boolean {
  return !result.ok && result.error.kind !== "not-found";
}

/** Says on a page about many namespaces that some could not be read. */
export const Unread: FC<{ count: number }> = ({ count }) =>
  count === 0 ? null : (
    <p class="warning" role="alert">
      The database did not answer for {counted(count, "namespace")}: what stands in them is missing
      here. Reload the page in a moment.
    </p>
  );

/** Lines of a refusal, and the command that helps. */
export const Notice: FC<{ lines: readonly string[]; command?: string | undefined }> = ({
  lines,
  command,
}) => (
  <>
    {lines.map((line) => (
      <p>{line}</p>
    ))}
    {command === undefined ? null : (
      <p>
        <Run command={command} />
      </p>
    )}
  </>
);

/** What is hard to undo wants somebody who has just shown their device (CO5). */
export function notFresh({ session, parts }: OwnVisit): PageAnswer {
  const title = "Once more, is it you?";
  if (session.issuer !== undefined && parts.oidc !== undefined) {
    return read(
      title,
      <Empty title="Nothing was changed">
        <p>You were asked for more than five minutes ago. Sign in anew, then do it again:</p>
        <SignInBy label={parts.oidc.label} />
        <p>
          Or open the console from a paired device: <code>tidemark console</code>
        </p>
      </Empty>,
      { status: 403 },
    );
  }
  return read(
    title,
    <Empty title="Nothing was changed">
      <p>
        You signed in more than five minutes ago. For this, open the console anew from your device,
        then do it again:
      </p>
      <Run command="tidemark console" />
    </Empty>,
    { status: 403 },
  );
}

/** Missing and forbidden look the same. */
export function notFound(): PageAnswer {
  return read(
    "Nothing here",
    <Empty title="There is no such page, or it is not yours to see">
      <p>
        <a href="/console">Back to the overview</a>
      </p>
    </Empty>,
    { status: 404 },
  );
}

/** Something that was asked for and not done. */
export function notDone(
  title: string,
  line: string,
  status: 400 | 403 | 409 | 429 | 503 = 409,
): PageAnswer {
  return read(
    title,
    <Empty title="Nothing was changed">
      <p>{line}</p>
    </Empty>,
    { status },
  );
}
