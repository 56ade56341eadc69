import { AppError } from '@lateen/errors';
import type { KopiaSession } from '@lateen/repository';
import type { FoundManifest, ServerSession, SessionCallOptions } from './server-session.ts';
import { answeredError } from './session-errors.ts';
import { sessionLimits } from './session-limits.ts';
import type { RequestBody, ResponseBody, SessionStream } from './session-stream.ts';

/** zstd, fastest (repo/compression/compression_ids.go), as kopia compresses folders and lists. */
const metadataCompression = 0x1101;

/** What a session can do beside beginning and ending. */
type Requests = Omit<ServerSession, 'over' | 'close'>;

/** Begins a session on a stream that is open. @throws see {@link ServerSession}; the signal's reason on abort */
export async function beginSession(
  stream: SessionStream,
  kopia: KopiaSession,
  { purpose, signal }: { purpose: string; signal: AbortSignal },
): Promise<Requests> {
  const hello: RequestBody = { $case: 'initializeSession', value: { purpose, readOnly: false } };
  const ask = asker(stream, kopia);
  const { parameters } = await ask(hello, 'initializeSession', 'beginning a session', {
    signal,
    timeMs: sessionLimits.openMs,
  });
  const { splitter = '', hashFunction = '', supportsContentCompression = false } = parameters ?? {};
  return { parameters: { splitter, hashFunction, supportsContentCompression }, ...requestsOf(ask) };
}

type Case = ResponseBody['$case'];
type Value<C extends Case> = Extract<ResponseBody, { $case: C }>['value'];
type AskOptions = SessionCallOptions & { timeMs?: number; onPart?: (part: ResponseBody) => void };
type Ask = <C extends Case>(request: RequestBody, answer: C, doing: string, options: AskOptions) => Promise<Value<C>>;

function asker(stream: SessionStream, kopia: KopiaSession): Ask {
  return async (request, answer, doing, { timeMs = sessionLimits.requestMs, ...options }) => {
    const body = await stream.send(request, { timeMs, ...options });
    if (body.$case === 'error') throw answeredError(body.value, doing, kopia);
    return valueIn(body, answer, doing);
  };
}

function valueIn<C extends Case>(body: ResponseBody, answer: C, doing: string): Value<C> {
  if (body.$case === answer) return body.value as Value<C>;
  throw new AppError('ENGINE_BAD_ANSWER', `${doing}: the repository server answers with ${body.$case}`);
}

function requestsOf(ask: Ask): Omit<Requests, 'parameters'> {
  return {
    writeContent: async ({ prefix, data, isCompressed = false }, options) => {
      const value = { prefix, data: bufferOf(data), compression: isCompressed ? metadataCompression : 0 };
      const request: RequestBody = { $case: 'writeContent', value };
      return (await ask(request, 'writeContent', 'storing a content', options)).contentId;
    },
    getContent: async (contentId, options) => {
      const request: RequestBody = { $case: 'getContent', value: { contentId } };
      return (await ask(request, 'getContent', `reading content ${contentId}`, options)).data;
    },
    findManifests: (labels, options) => findManifests(ask, labels, options),
    getManifest: async (id, options) => {
      const request: RequestBody = { $case: 'getManifest', value: { manifestId: id } };
      const { jsonData, metadata } = await ask(request, 'getManifest', `reading snapshot ${id}`, options);
      return { id, labels: metadata?.labels ?? {}, json: jsonData.toString('utf8') };
    },
    putManifest: async ({ json, labels }, options) => {
      const request: RequestBody = { $case: 'putManifest', value: { jsonData: Buffer.from(json), labels } };
      return (await ask(request, 'putManifest', 'storing a snapshot', options)).manifestId;
    },
    deleteManifest: async (id, options) => {
      const request: RequestBody = { $case: 'deleteManifest', value: { manifestId: id } };
      await ask(request, 'deleteManifest', `deleting snapshot ${id}`, options);
    },
    flush: async (options) => {
      await ask({ $case: 'flush', value: {} }, 'flush', 'writing to the object store', options);
    },
  };
}

/** The answer comes in parts. */
async function findManifests(
  ask: Ask,
  labels: Readonly<Record<string, string>>,
  options: SessionCallOptions,
): Promise<FoundManifest[]> {
  const doing = 'looking for snapshots';
  const found: FoundManifest[] = [];
  let tooMany = false;
  const take = ({ metadata }: Value<'findManifests'>): void => {
    tooMany ||= found.length + metadata.length > sessionLimits.manifestsMax;
    if (!tooMany) for (const { id, labels } of metadata) found.push({ id, labels });
  };
  const onPart = (part: ResponseBody): void => (part.$case === 'findManifests' ? take(part.value) : undefined);
  const value = { labels, pageSize: sessionLimits.manifestsPage };
  take(await ask({ $case: 'findManifests', value }, 'findManifests', doing, { ...options, onPart }));
  if (!tooMany) return found;
  throw new AppError('SNAPSHOTS_TOO_MANY', `${doing}: there are more than ${sessionLimits.manifestsMax}`, {
    nextStep: 'Let backups expire: their snapshots are deleted with them.',
  });
}

const bufferOf = (data: Uint8Array): Buffer => Buffer.from(data.buffer, data.byteOffset, data.byteLength);
