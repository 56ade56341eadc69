/** Secrets of an installation (api.md section 16). */
export const cloudCredentials = { name: 'cloud-credentials', key: 'cloud' } as const;

/** The value is the repository password; white space at both ends does not count. */
export const repositoryCredentials = { name: 'velero-repo-credentials', key: 'repository-password' } as const;
