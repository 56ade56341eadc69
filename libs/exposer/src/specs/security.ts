import type { ContainerSecurityContext, PodSecurityContext } from '@lateen/api-types';

/**
 * What root needs to read any file and to give back owners, modes and special files. All of these are in the default
 * set of container runtimes; they are named only when the inherited context drops everything.
 */
const capabilitiesNeeded = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'MKNOD', 'SETFCAP'];

/**
 * Root, because a restore gives files back to their owners. `spcNoRelabeling` is SELinux type `spc_t`: with it the
 * runtime does not relabel a volume, which it could not do on a read-only one (data-movement.md section 4, step 6).
 * `seLinuxLevel` is that of the pod whose volume it is: its files have it, and only who has it too may read them.
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
 * The inherited context, never kept from being root, and privileged only where an installation wants that for volumes of
 * pods (`privilegedFsBackup`). Undefined when nothing is left to say. `writableRoot` is for restores: the volume is mounted
 * at the root, and kopia removes a marker file beside the directory it has restored, which fails on a read-only one.
 */
export function containerSecurity(
  inherited: ContainerSecurityContext | undefined,
  { writableRoot, privileged = false }: { writableRoot: boolean; privileged?: boolean },
): ContainerSecurityContext | undefined {
  if (privileged) {
    // No container may be privileged and forbidden to gain privileges.
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
