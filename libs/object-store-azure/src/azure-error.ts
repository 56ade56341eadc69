import { AppError, isAppError } from '@lateen/errors';
import { type AzureStoreConfig, accountUrl } from './azure-config.ts';

/** What the SDK's errors have, as far as it is read here. */
interface Refusal {
  statusCode: number;
  /** `x-ms-error-code`: ContainerNotFound and the like; "" when there is none. */
  code: string;
  message: string;
}

/** The error of the ObjectStore port for what the SDK threw. `subject` is what was asked for: `object "k"`, "" for the container. */
export function azureError(cause: unknown, subject: string, config: AzureStoreConfig): AppError {
  if (isAppError(cause)) return cause;
  const refusal = refusalOf(cause);
  if (refusal === undefined) return unreachable(cause, config);
  const { statusCode, code } = refusal;
  const said = [code, firstLine(refusal.message)].filter((text) => text !== '').join(': ') || `HTTP ${statusCode}`;
  const where = `container "${config.bucket}" of storage account "${config.storageAccount}"`;
  if (code === 'ContainerNotFound' || (statusCode === 404 && subject === '')) {
    return new AppError('BUCKET_NOT_FOUND', `${where} does not exist (${said})`, {
      retry: 'later',
      nextStep: 'Create the container, or correct spec.objectStorage.bucket.',
    });
  }
  if (statusCode === 404) return new AppError('OBJECT_NOT_FOUND', `${subject} is not in ${where}`);
  // The last: a signature that nobody could have made, answered with 400.
  if (statusCode === 401 || statusCode === 403 || code === 'InvalidAuthenticationInfo') {
    return new AppError('OBJECT_STORE_FORBIDDEN', `${where} refuses access (${said})`, {
      retry: 'later',
      nextStep: forbiddenStep(code),
    });
  }
  if (statusCode === 429 || statusCode >= 500) {
    return new AppError('OBJECT_STORE_UNAVAILABLE', `${where} answers ${said}`, { retry: 'later' });
  }
  return new AppError(
    'OBJECT_STORE_BAD_ANSWER',
    `${where} answers HTTP ${statusCode} (${said}) for ${subject || 'a listing'}`,
    {
      retry: 'later',
    },
  );
}

function refusalOf(cause: unknown): Refusal | undefined {
  if (typeof cause !== 'object' || cause === null || !('statusCode' in cause)) return undefined;
  const { statusCode } = cause;
  if (typeof statusCode !== 'number') return undefined;
  const code = codeOf(cause);
  const message = 'message' in cause && typeof cause.message === 'string' ? cause.message : '';
  return { statusCode, code, message };
}

/** A HEAD has no body, so the code is in a header only. */
export function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null) return '';
  const details = 'details' in cause && typeof cause.details === 'object' ? cause.details : undefined;
  if (details !== null && details !== undefined && 'errorCode' in details && typeof details.errorCode === 'string') {
    return details.errorCode;
  }
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}

function forbiddenStep(code: string): string {
  if (code === 'AuthorizationPermissionMismatch') {
    return 'Give the service principal the role "Storage Blob Data Contributor" on the container.';
  }
  if (code === 'AuthorizationFailure') return 'Check the firewall of the storage account.';
  return 'Check the Secret of the location and what its owner may do with the container.';
}

function unreachable(cause: unknown, config: AzureStoreConfig): AppError {
  return new AppError('OBJECT_STORE_UNAVAILABLE', `object store ${accountUrl(config)} cannot be reached`, {
    retry: 'later',
    cause,
    nextStep: unreachableStep(networkCodeOf(cause)),
  });
}

function unreachableStep(code: string): string {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'The host name does not resolve; check config.storageAccount.';
  if (/CERT|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return 'Its certificate is not trusted; give its authority in objectStorage.caCertRef.';
  }
  return 'Check the network between the cluster and the storage account.';
}

function networkCodeOf(cause: unknown): string {
  for (let current = cause, depth = 0; typeof current === 'object' && current !== null && depth < 5; depth++) {
    if ('code' in current && typeof current.code === 'string' && current.code !== 'REQUEST_SEND_ERROR')
      return current.code;
    current = 'cause' in current ? current.cause : undefined;
  }
  return '';
}

/** The SDK adds request id and time in lines of their own. */
const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
