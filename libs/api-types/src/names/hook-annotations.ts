/** Keys by which a pod asks for hooks (api.md section 15). */
export const hookAnnotations = {
  preBackup: hookKeys('pre.hook.backup.velero.io', ['container', 'command', 'on-error', 'timeout']),
  postBackup: hookKeys('post.hook.backup.velero.io', ['container', 'command', 'on-error', 'timeout']),
  /** The older spelling without a prefix; means before the backup. */
  backup: hookKeys('hook.backup.velero.io', ['container', 'command', 'on-error', 'timeout']),
  initRestore: hookKeys('init.hook.restore.velero.io', ['container-image', 'container-name', 'command', 'timeout']),
  postRestore: hookKeys('post.hook.restore.velero.io', [
    'container',
    'command',
    'on-error',
    'exec-timeout',
    'wait-timeout',
    'wait-for-ready',
  ]),
} as const;

function hookKeys<const P extends string, const F extends string>(prefix: P, fields: readonly F[]) {
  return Object.fromEntries(fields.map((field) => [field, `${prefix}/${field}`])) as { [K in F]: `${P}/${K}` };
}
