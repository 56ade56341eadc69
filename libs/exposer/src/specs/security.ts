import type { ContainerSecurityContext, PodSecurityContext } from '@lateen/api-types';

/**
 * The capabilities that root needs to read any file and to restore owners, modes and special files. All of them are in the
 * default set of container runtimes; they are listed only when the inherited context drops everything.
 */
const capabilitiesNeeded = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'MKNOD', 'SETFCAP'];

/**
 * Root, because a restore sets the owners of files. With `spcNoRelabeling` the SELinux type is `spc_t`: the runtime then does not
 * relabel the volume, which it could not do on a read-only one (data-movement.md section 4, step 6). `seLinuxLevel` is that of
 * the client pod: its files have that level, and only a process with the same level may read them.
 */
export function podSecurity(
  inherited: PodSecurityContext | undefined,
  { spcNoRelabeling, seLinuxLevel }: { spcNoRelabeling: boolean; seLinuxLevel?: string | undefined },
): PodSecurityContext {
  const { runAsNonRoot: _, runAsGroup: __, fsGroup: ___, ...kept } = inherited ?? {};
  const chosen = {
    ...(spcNoRelabeling ? { type: 'spc_t' } : {}),
    ...(seLinuxLevel === undefined ? {} : { level: seLinuxLevel }),
  };
  const seLinux = Object.keys(chosen).length === 0 ? {} : { seLinuxOptions: { ...kept.seLinuxOptions, ...chosen } };
  return { ...kept, ...seLinux, runAsUser: 0 };
}

/**
 * The inherited context, without anything that would prevent root; privileged only where an installation wants that for volumes
 * of pods (`privilegedFsBackup`). Undefined when nothing has to be set. `writableRoot` is for restores: the volume is mounted at
 * the root, and kopia removes a marker file next to the restored directory, which fails on a read-only root.
 */
export function containerSecurity(
  inherited: ContainerSecurityContext | undefined,
  { writableRoot, privileged = false }: { writableRoot: boolean; privileged?: boolean },
): ContainerSecurityContext | undefined {
  if (privileged) {
    // Kubernetes refuses a privileged container with allowPrivilegeEscalation false.
    const { allowPrivilegeEscalation: _, ...others } = inherited ?? {};
    return { ...containerSecurity(others, { writableRoot }), privileged };
  }
  if (inherited === undefined) return undefined;
  const { readOnlyRootFilesystem, capabilities, ...others } = inherited;
  const { privileged: _, runAsNonRoot: __, runAsUser: ___, runAsGroup: ____, ...kept } = others;
  const context: ContainerSecurityContext = { ...kept };
  if (readOnlyRootFilesystem !== undefined && !writableRoot) context.readOnlyRootFilesystem = readOnlyRootFilesystem;
  if (capabilities !== undefined) {
    const dropsAll = capabilities.drop?.some((name) => name.toUpperCase() === 'ALL') ?? false;
    const add = dropsAll ? [...new Set([...(capabilities.add ?? []), ...capabilitiesNeeded])] : capabilities.add;
    context.capabilities = add === undefined ? capabilities : { ...capabilities, add };
  }
  return Object.keys(context).length === 0 ? undefined : context;
}
