import type { ResolvedLocation } from '@lateen/storage-location';
import type { KnownFailure } from './engine-failure.ts';

/**
 * The same failures with messages that fit the location. When a role gives an engine no keys, the engine does not report that: it
 * sends requests without keys, which the store refuses (minio-go, pkg/credentials, `Chain`). So the message for a refused request
 * names both causes.
 */
export function failuresAt(location: ResolvedLocation, known: readonly KnownFailure[]): readonly KnownFailure[] {
  const role = roleOf(location);
  if (role === undefined) return known;
  return known.map((failure) =>
    failure.code === 'OBJECT_STORE_FORBIDDEN'
      ? {
          ...failure,
          message: ({ repository }) =>
            `the object store refuses ${repository} to ${role}, or that role provides no keys`,
          nextStep:
            'Look at the message of the BackupStorageLocation; check what the role may do in the bucket, and that its trust ' +
            'policy names the service accounts of controller and node-agent.',
        }
      : failure,
  );
}

function roleOf(location: ResolvedLocation): string | undefined {
  if (location.provider !== 's3') return undefined;
  if ('roleArn' in location.credentials) return `role ${location.credentials.roleArn}`;
  return 'identity' in location.credentials ? 'the role of the pod' : undefined;
}
