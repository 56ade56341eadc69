import { AppError } from '@lateen/errors';
import { kubeError, kubeErrorFromStatus, type StatusBody } from '../kube-error.ts';
import { parseExact } from './exact-json.ts';
import type { HttpAnswer } from './http-transport.ts';
import { retryAfterMs } from './retry-after.ts';

export interface AnswerContext {
  /** As in HttpRequest. */
  purpose: string;
  server: string;
  nowMs: number;
  /** A longer answer is refused instead of filling the memory. */
  bytesMax: number;
}

/** Enough of a foreign answer (a proxy's page) to recognise it by, in one line. */
const excerptCharsMax = 120;
/** An error's Status is short; what is longer is not read to its end. */
const errorBytesMax = 64 * 1024;

/**
 * The parsed JSON of a 2xx answer.
 * @throws KUBE_BAD_ANSWER when it is not JSON or longer than `bytesMax`; what the body throws when it breaks off
 */
export async function readJson(
  answer: HttpAnswer,
  numbers: 'double' | 'exact',
  context: AnswerContext,
): Promise<unknown> {
  const text = await readText(answer.body, context);
  try {
    return numbers === 'exact' ? parseExact(text) : JSON.parse(text);
  } catch (error) {
    throw badAnswer(answer, text, context, error);
  }
}

/** The error for an answer outside 2xx, its body read. */
export async function readError(answer: HttpAnswer, context: AnswerContext): Promise<AppError> {
  const text = await readText(answer.body, { ...context, bytesMax: errorBytesMax });
  const waitMs = retryAfterMs(answer.header('retry-after'), context.nowMs);
  const body = statusIn(text);
  const isPage = (answer.header('content-type') ?? '').includes('html');
  // A proxy's 404 must not pass for a missing object: callers delete and finish on KUBE_NOT_FOUND.
  if (body === undefined && isPage && answer.status < 500 && ![401, 403, 429].includes(answer.status)) {
    return badAnswer(answer, text, context);
  }
  const told = body ?? {
    message: `cannot ${context.purpose} at ${context.server}: ${answer.status} ${excerpt(text)}`.trim(),
  };
  return withNextStep(
    kubeErrorFromStatus(answer.status, told, `cannot ${context.purpose}`, waitMs),
    body !== undefined,
    context,
  );
}

/** Collects a body as text. @throws KUBE_BAD_ANSWER past `bytesMax` */
export async function readText(body: AsyncIterable<Uint8Array>, context: AnswerContext): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > context.bytesMax) {
      const text = `cannot ${context.purpose} at ${context.server}: the answer is longer than ${context.bytesMax} bytes`;
      throw kubeError('KUBE_BAD_ANSWER', text, { nextStep: 'Ask for smaller pages' });
    }
    parts.push(part);
  }
  return Buffer.concat(parts, bytes).toString('utf8');
}

function badAnswer(answer: HttpAnswer, text: string, context: AnswerContext, cause?: unknown): AppError {
  const type = answer.header('content-type') ?? 'no content type';
  return kubeError(
    'KUBE_BAD_ANSWER',
    `cannot ${context.purpose}: ${context.server} did not answer as a Kubernetes API server (${answer.status}, ${type}): ${excerpt(text)}`,
    { httpStatus: answer.status, nextStep: 'Check that the address leads to the API server and not to a proxy', cause },
  );
}

function statusIn(text: string): StatusBody | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const body = JSON.parse(text) as StatusBody;
    return body.kind === 'Status' ? body : undefined;
  } catch {
    // Cut off or foreign: the caller shows the text itself.
    return undefined;
  }
}

const excerpt = (text: string): string => text.slice(0, excerptCharsMax).replace(/\s+/g, ' ').trim();

function withNextStep(error: AppError, isStatus: boolean, context: AnswerContext): AppError {
  const nextStep = nextStepOf(error, isStatus, context);
  if (nextStep === undefined) return error;
  return new AppError(error.code, error.message, { retry: error.retry, details: error.details, nextStep });
}

function nextStepOf(error: AppError, isStatus: boolean, { purpose, server }: AnswerContext): string | undefined {
  switch (error.code) {
    case 'KUBE_UNAUTHORIZED':
      return `Log in again or renew the credentials for ${server}`;
    case 'KUBE_FORBIDDEN':
      return isByAdmission(error.message) ? undefined : `Grant the right to ${purpose} with a Role and RoleBinding`;
    case 'KUBE_NOT_FOUND':
      return isStatus ? undefined : 'Check that the resource’s CustomResourceDefinition is installed';
    default:
      return undefined;
  }
}

/** Quota, Pod Security and other admission refuse with the same status; what the authorizer says names a user. */
const isByAdmission = (message: string): boolean =>
  message.includes(' is forbidden: ') && !/User "[^"]*" cannot /.test(message);
