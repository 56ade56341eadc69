import { annotations, type DeleteBackupRequest } from '@lateen/api-types';

/** A request to a repository, by the names of the ConfigMap and of the BackupRepository. */
export interface PlannedRequest {
  request: string;
  repository: string;
}

/** What was planned for a deletion; undefined while that has not been done. */
export function plannedRequests({ metadata }: DeleteBackupRequest): PlannedRequest[] | undefined {
  const text = metadata.annotations?.[annotations.forgetRequests];
  if (text === undefined) return undefined;
  return text
    .split(',')
    .filter(Boolean)
    .map((pair) => {
      const [request = '', repository = ''] = pair.split('=');
      return { request, repository };
    });
}

/** For the annotation. */
export const plannedText = (planned: readonly PlannedRequest[]): string =>
  planned.map(({ request, repository }) => `${request}=${repository}`).join(',');
