import type { ContainerSecurityContext, PodSecurityContext } from '@lateen/api-types';

/**
 * What root needs to read any file and to give back owners, modes and special files. All of these are in the default
 * set of container runtimes; they are named only when the inherited context drops everything.
 */
const capabilitiesNeeded = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'MKNOD', 'SETFCAP'];

/**
 * Root, because a restore gives files back to their owners. `spcNoRelabeling` is SELinux type `spc_t`: with it the
 * runtime does not relabel a volume, which it could not do on a read-only one (data-movement.md section 4, step 6).
 */
export function podSecurity(
  inherited: PodSecurityContext | undefined,
  { spcNoRelabeling }: { spcNoRelabeling: boolean },
): PodSecurityContext {
  const { runAsNonRoot: _, runAsGroup: __, fsGroup: ___, ...kept } = inherited ?? {};
  const seLinux = spcNoRelabeling ? { seLinuxOptions: { ...kept.seLinuxOptions, type: 'spc_t' } } : {};
  return { ...kept, ...seLinux, runAsUser: 0 };
}

/**
 * The inherited context, never privileged, never kept from being root. Undefined when nothing is left to say.
 * `writableRoot` is for restores: the volume is mounted at the root, and kopia removes a marker file beside the directory
 * it has restored, which fails on a read-only one.
 */
export function containerSecurity(
  inherited: ContainerSecurityContext | undefined,
  { writableRoot }: { writableRoot: boolean },
): ContainerSecurityContext | undefined {
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
