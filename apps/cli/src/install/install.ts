import { controllerName, nodeAgentName } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi, Unstructured } from '@lateen/kube';
import { inApplyOrder, titleOf } from '@lateen/manifests';
import {
  type ExistingInstallation,
  existingInstallation,
  type PluginPlace,
  refuseOther,
  refuseProtected,
  refuseReferenceManager,
  removePlugins,
  withdrawSnapshotMetadata,
  withEarlier,
  withSettings,
} from '@lateen/operations/installation';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { parseDuration } from '../parse-duration.ts';
import { carryOut, confirmRights, planned } from '../take-over/take-over-command.ts';
import { bringUp } from './bring-up.ts';
import { bundledManifests } from './bundled-manifests.ts';
import { remarksOnFlags } from './flags-without-effect.ts';
import { addInstallFlags, type InstallFlags } from './install-flags.ts';
import { installObjects } from './install-objects.ts';
import { type InstallSettings, installSettings } from './install-settings.ts';
import { installWarnings } from './install-warnings.ts';
import { missingFlags } from './missing-flags.ts';
import { parseManifestFormat, printManifests, withoutSecrets } from './print-manifests.ts';
import { readFlagFile } from './read-flag-file.ts';

const examples = `
Examples:
  lateen install --provider aws --bucket backups --secret-file ./credentials \\
    --backup-location-config region=eu-central-1 --image registry.example/lateen:0.1 --wait
  lateen install --provider aws --bucket backups --no-secret --backup-location-config region=eu-central-1 \\
    --sa-annotations eks.amazonaws.com/role-arn=arn:aws:iam::1:role/backup
  lateen install --image registry.example/lateen:0.2 --wait          # upgrade; everything else stays as it is
  lateen install --take-over --dry-run                               # what would happen to the Velero in the namespace
  lateen install --take-over --image registry.example/lateen:0.2 --wait --timeout 1h
  lateen install --volume-manager replicated --volume-manager-image registry.example/lateen-storage:0.2 --wait
  lateen install --crds-only --dry-run -o yaml | kubectl apply --server-side -f -`;

/** `lateen install` */
export function installCommand(context: CommandContext): Command {
  const command = new Command('install')
    .description('Install Lateen into a cluster, or bring an installation to this version and these settings')
    .addHelpText('after', examples);
  return addInstallFlags(command).action(async (own: InstallFlags, self: Command) => {
    const global = self.optsWithGlobals<GlobalOptions>();
    // `--features` is a global flag and has its effect here.
    const flags = { ...own, ...(global.features === undefined ? {} : { features: global.features }) };
    for (const remark of remarksOnFlags(flags)) context.stderr.write(`warning: ${remark}\n`);
    const timeoutMs = parseDuration('--timeout', flags.timeout);
    checkTakeOver(flags);
    const isOffline = flags.takeOver !== true && (flags.dryRun === true || flags.output !== undefined);
    if (isOffline) return await show(flags, global.namespace, context);
    await install(flags, global, timeoutMs, context);
  });
}

/** @throws AppError BAD_FLAG */
function checkTakeOver({ takeOver, force, crdsOnly, output }: InstallFlags): void {
  if (force === true && takeOver !== true)
    throw new AppError('BAD_FLAG', '--force needs --take-over; no other step of install asks or waits');
  if (takeOver !== true) return;
  if (crdsOnly === true) throw new AppError('BAD_FLAG', 'Cannot use both --take-over and --crds-only');
  if (output !== undefined)
    throw new AppError('BAD_FLAG', 'Cannot use both --take-over and --output', {
      nextStep: '--take-over --dry-run shows what would be done.',
    });
}

/** Prints the objects without a cluster. */
async function show(flags: InstallFlags, namespace: string, { stdout, stderr }: CommandContext): Promise<void> {
  const format = flags.output === undefined ? undefined : parseManifestFormat(flags.output);
  refuseProtected(namespace);
  const settings = installSettings(flags, namespace);
  requireAll(settings.missing);
  const objects = inApplyOrder(withSettings(await objectsOf(settings), flags));
  if (format === undefined) {
    for (const object of objects) stdout.write(`would be applied  ${titleOf(object)}\n`);
    return;
  }
  const hides = flags.showSecrets !== true && objects.some(({ kind }) => kind === 'Secret');
  if (hides) stderr.write('note: the values of the Secret are not shown; --show-secrets prints them.\n');
  stdout.write(printManifests(hides ? withoutSecrets(objects) : objects, format));
}

async function install(
  given: InstallFlags,
  global: GlobalOptions,
  timeoutMs: number,
  context: CommandContext,
): Promise<void> {
  const { namespace } = global;
  refuseProtected(namespace);
  // Errors of the command line are reported before any request to the cluster.
  installSettings(given, namespace);
  const kube = await context.connect(global);
  const { signal } = context;
  const found = await existingInstallation(kube, namespace, signal);
  if (given.takeOver !== true && given.crdsOnly !== true) refuseOther(found, namespace);
  const taken = given.takeOver === true ? await planned(kube, namespace, given, context) : undefined;
  const earlier = found.controller === undefined && taken !== undefined ? taken.settings : found.settings;
  const { flags, kept } = withEarlier(given, given.crdsOnly || given.resetSettings ? {} : earlier);
  if (kept.length > 0 && taken === undefined)
    context.stderr.write(`note: kept from the last install: ${kept.join(' ')}\n`);
  const settings = completed(installSettings(flags, namespace), found);
  if (settings.location === undefined && found.controller === undefined && found.locations.length > 0)
    context.stderr.write(`note: there already, and kept: BackupStorageLocation ${found.locations.join(', ')}\n`);
  if (flags.crdsOnly !== true)
    for (const warning of await installWarnings(kube, flags, settings, found, signal))
      context.stderr.write(`warning: ${warning}\n`);
  await checkCluster(kube, settings, found, signal);
  const objects = withSettings(await objectsOf(settings), flags);
  if (flags.dryRun === true) {
    for (const object of inApplyOrder(objects)) context.stdout.write(`would be applied  ${titleOf(object)}\n`);
    return;
  }
  if (taken !== undefined) await carryOut(kube, taken, flags, timeoutMs, context);
  await dropOtherPlugins({ kube, namespace, signal }, settings, found);
  await bringUp(kube, objects, { wait: flags.wait === true, timeoutMs, namespace }, context);
  const { snapshotMetadata = true, parts = [] } = settings.render;
  if (!snapshotMetadata) await withdrawSnapshotMetadata(kube, parts, signal);
  if (given.takeOver === true) await confirmRights(kube, namespace, flags, context);
  if (flags.crdsOnly !== true) nextSteps(flags, namespace, context);
}

/** Applying alone would keep the init containers that `plugin add` has added. */
async function dropOtherPlugins(
  place: PluginPlace,
  { render }: InstallSettings,
  { plugins, controller }: ExistingInstallation,
): Promise<void> {
  const wanted = new Set(render.plugins?.map(({ name }) => name));
  const others = plugins.map(({ name }) => name).filter((name) => !wanted.has(name));
  if (controller !== undefined && render.parts?.includes('controller') === true && others.length > 0)
    await removePlugins(place, others);
}

/** Checks what our own volumes need of the cluster. @throws AppError NO_SNAPSHOTS, OTHER_VOLUME_MANAGER */
async function checkCluster(
  kube: KubeApi,
  { render: { parts = [] } }: InstallSettings,
  { hasSnapshots }: ExistingInstallation,
  signal: AbortSignal,
): Promise<void> {
  if (parts.includes('crds-storage')) await refuseReferenceManager(kube, signal);
  if (hasSnapshots || !(parts.includes('csi') || parts.includes('volume-manager'))) return;
  throw new AppError(
    'NO_SNAPSHOTS',
    'the CSI driver needs the VolumeSnapshots of external-snapshotter, and the cluster has none',
    {
      nextStep:
        'Install the CRDs and the snapshot-controller of external-snapshotter first, or leave --use-csi-driver and --volume-manager out.',
    },
  );
}

/**
 * Unless the command line says otherwise, the image stays as it is, and a new location does not become the default when there is
 * another default.
 */
function completed(settings: InstallSettings, found: ExistingInstallation): InstallSettings {
  requireAll(missingFlags(settings, found));
  const { render, location } = settings;
  const plugins = render.plugins?.map((plugin) => found.plugins.find(({ image }) => image === plugin.image) ?? plugin);
  return {
    ...settings,
    render: {
      ...(found.image === undefined ? {} : { image: found.image }),
      ...render,
      ...(plugins === undefined ? {} : { plugins }),
    },
    ...(location === undefined || found.otherDefault === undefined
      ? {}
      : { location: { ...location, spec: { ...location.spec, default: false } } }),
  };
}

function requireAll(missing: readonly string[]): void {
  const [first] = missing;
  if (first !== undefined)
    throw new AppError('BAD_FLAG', first, { nextStep: 'See lateen install --help for examples.' });
}

const objectsOf = async (settings: InstallSettings): Promise<Unstructured[]> =>
  await installObjects(await bundledManifests(), settings, readFlagFile);

function nextSteps({ wait, useNodeAgent }: InstallFlags, namespace: string, { stderr }: CommandContext): void {
  const option = namespace === 'velero' ? '' : ` -n ${namespace}`;
  if (wait === true) {
    stderr.write(
      `Lateen runs in namespace ${namespace}. Move a volume with: lateen volume upload NAMESPACE/PVC${option}\n`,
    );
    return;
  }
  const agents = useNodeAgent === false ? '' : ` daemonset/${nodeAgentName}`;
  stderr.write(
    `Watch it start with: kubectl get -n ${namespace} deployment/${controllerName}${agents}, or give --wait.\n`,
  );
}
