import type { AppError } from '@lateen/errors';
import { groupResourceText, kubeError, kubeErrorFromStatus, type ResourceType, type StatusCause } from '@lateen/kube';

/** The API server's own wording (k8s.io/apimachinery/pkg/api/errors), so that tests see real messages. */
function failure(httpStatus: number, reason: string, message: string, causes: StatusCause[] = []): AppError {
  const body = { kind: 'Status', status: 'Failure', message, reason, code: httpStatus, details: { causes } };
  return kubeErrorFromStatus(httpStatus, body, '');
}

const kindText = (type: Named): string => (type.group === '' ? type.kind : `${type.kind}.${type.group}`);

type Named = Pick<ResourceType, 'group' | 'resource' | 'version' | 'kind' | 'namespaced'>;

export const notFound = (type: Named, name: string): AppError =>
  failure(404, 'NotFound', `${groupResourceText(type)} "${name}" not found`);

export function alreadyExists(type: Named, name: string, beingDeleted = false): AppError {
  const prefix = beingDeleted ? 'object is being deleted: ' : '';
  return failure(409, 'AlreadyExists', `${prefix}${groupResourceText(type)} "${name}" already exists`);
}

export const modified = (type: Named, name: string): AppError =>
  conflict(type, name, 'the object has been modified; please apply your changes to the latest version and try again');

export const conflict = (type: Named, name: string, why: string): AppError =>
  failure(409, 'Conflict', `Operation cannot be fulfilled on ${groupResourceText(type)} "${name}": ${why}`);

export function applyConflict(conflicts: readonly { field: string; manager: string }[]): AppError {
  const count = `${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}`;
  const list = conflicts.map(({ field, manager }) => `conflict with "${manager}": ${field}`).join('; ');
  return failure(409, 'Conflict', `Apply failed with ${count}: ${list}`);
}

/** An error as a client raises it, before any request. */
export const tooLong = (type: Named, bytesMax = 0): AppError =>
  kubeError('KUBE_BAD_ANSWER', `cannot list ${groupResourceText(type)}: the answer is longer than ${bytesMax} bytes`, {
    nextStep: 'Ask for smaller pages',
  });

/** Each entry of `why` names its field, as in `metadata.name: Required value: …`. */
export function invalid(type: Named, name: string, ...why: readonly string[]): AppError {
  const list = why.length === 1 ? why[0] : `[${why.join(', ')}]`;
  return failure(422, 'Invalid', `${kindText(type)} "${name}" is invalid: ${list}`, why.map(fieldCause));
}

const causeReasons: Readonly<Record<string, string>> = {
  'Duplicate value': 'FieldValueDuplicate',
  Forbidden: 'FieldValueForbidden',
  'Invalid value': 'FieldValueInvalid',
  'Not found': 'FieldValueNotFound',
  'Required value': 'FieldValueRequired',
  'Unsupported value': 'FieldValueNotSupported',
};

function fieldCause(why: string): StatusCause {
  const [, field = '', message = '', kind = ''] = /^(\S+): (([A-Z][a-z]+(?: value| found)?): .*|.*)$/s.exec(why) ?? [];
  return { reason: causeReasons[kind] ?? 'FieldValueInvalid', message, field };
}

export const versionRequired = (type: Named, name: string): AppError => {
  const why = 'metadata.resourceVersion: Invalid value: 0: must be specified for an update';
  return failure(422, 'Invalid', `${groupResourceText(type)} "${name}" is invalid: ${why}`);
};

/** A delete's preconditions are reported by kind. */
export const preconditionFailed = (type: Named, name: string, why: string): AppError =>
  failure(409, 'Conflict', `Operation cannot be fulfilled on ${kindText(type)} "${name}": ${why}`);

export const forbidden = (type: Named, name: string, why: string, ...causes: StatusCause[]): AppError =>
  failure(403, 'Forbidden', `${groupResourceText(type)} "${name}" is forbidden: ${why}`, causes);

/** A webhook's rejection as a client receives it; `httpStatus` is the webhook's. */
export const deniedByWebhook = (webhook: string, why: string, httpStatus: number): AppError =>
  failure(
    httpStatus,
    httpStatus === 403 ? 'Forbidden' : '',
    `admission webhook ${JSON.stringify(webhook)} denied the request: ${why}`,
  );

export const badRequest = (message: string): AppError => failure(400, 'BadRequest', message);

export const unprocessable = (): AppError =>
  failure(422, 'Invalid', 'the server rejected our request due to an error in our request');

export const unsupportedMediaType = (accepted: string): AppError =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
  );

export const serverError = (message: string): AppError => failure(500, 'InternalError', message);

export const unknownPath = (): AppError => failure(404, 'NotFound', 'the server could not find the requested resource');

export const watchTooOld = (asked: number, oldest: number): AppError =>
  failure(410, 'Expired', `too old resource version: ${asked} (${oldest})`);

const tooOldToContinue =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter';

/** `next` continues after the last object, with the current state. */
export function continueTooOld(next?: string): AppError {
  if (next === undefined) return failure(410, 'Expired', `${tooOldToContinue}.`);
  const message = `${tooOldToContinue}, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.`;
  const body = {
    kind: 'Status',
    status: 'Failure',
    message,
    reason: 'Expired',
    code: 410,
    metadata: { continue: next },
  };
  return kubeErrorFromStatus(410, body, '');
}
