import { AppError } from '@lateen/errors';

export function noToken(message: string): AppError {
  return new AppError('OBJECT_STORE_FORBIDDEN', message, {
    retry: 'later',
    nextStep: 'Check the key in the Secret of the location, or the workload identity of the pods.',
  });
}

export function tokensUnreachable(said: string): AppError {
  return new AppError('OBJECT_STORE_UNAVAILABLE', `access tokens of Google cannot be reached (${said})`, {
    retry: 'later',
    nextStep: 'Check the network between the cluster and Google.',
  });
}
