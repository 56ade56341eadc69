import { AppError, isAppError } from '@lateen/errors';

/**
 * Adds all rights that such a command needs to an error about a missing right; otherwise the user would have to ask the administrator once
 * for each right.
 */
export function explainRights(error: unknown, namespace: string): unknown {
  if (!isAppError(error, 'KUBE_FORBIDDEN') || error.nextStep !== undefined) return error;
  return new AppError(error.code, error.message, {
    retry: error.retry,
    details: error.details,
    cause: error,
    nextStep:
      `Work on repositories runs as a Job in the cluster; it takes these rights in namespace ${namespace}: ` +
      'get backuprepositories.velero.io and deployments.apps, create, get, list, watch, patch and delete jobs.batch, list and watch ' +
      'pods and events, get pods/log, get, create and update leases.coordination.k8s.io.',
  });
}
