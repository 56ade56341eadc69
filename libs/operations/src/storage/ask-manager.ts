import { AppError, plainLine } from '@lateen/errors';
import { request } from 'undici';

/** How to reach the REST API of the volume manager. */
export interface ManagerAccess {
  /** Such as http://localhost:9500. */
  readonly url: string;
  /** For a manager that requires a token. Never printed. */
  readonly token?: string | undefined;
}

export interface ManagerAction {
  readonly volume: string;
  readonly action: 'trimFilesystem' | 'snapshotRevert';
  readonly body: Readonly<Record<string, unknown>>;
}

/** The time-out of an answer; trimming a large file system takes minutes. */
const answerMs = 600_000;
/** How much of an error answer is read. */
const errorCharsMax = 2_000;

/**
 * Calls an action of the manager that no field of an object can request, and waits until it is done. Repeating it is harmless.
 * @throws AppError MANAGER_UNREACHABLE, MANAGER_REFUSED with its words. On abort: rejects; the action may continue.
 */
export async function askManager(
  { url, token }: ManagerAccess,
  { volume, action, body }: ManagerAction,
  signal: AbortSignal,
): Promise<void> {
  const address = `${url.replace(/\/+$/, '')}/v1/volumes/${encodeURIComponent(volume)}?action=${action}`;
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  const limits = { headersTimeout: answerMs, bodyTimeout: answerMs };
  let answer: Awaited<ReturnType<typeof request>>;
  try {
    answer = await request(address, { method: 'POST', headers, body: JSON.stringify(body), signal, ...limits });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    throw new AppError('MANAGER_UNREACHABLE', `the volume manager does not answer at ${url}`, {
      cause,
      nextStep: 'Forward its port first: kubectl port-forward -n longhorn-system service/longhorn-backend 9500',
    });
  }
  const text = (await answer.body.text()).slice(0, errorCharsMax);
  if (answer.statusCode === 200) return;
  throw new AppError('MANAGER_REFUSED', messageOf(text) || `the volume manager answers with ${answer.statusCode}`);
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? plainLine(message) : '';
  } catch {
    return plainLine(text);
  }
}
