import type { RestoreSpec } from '@lateen/api-types';

const policies = {
  existingResourcePolicy: ['none', 'update'],
  existingVolumeDataPolicy: ['none', 'full', 'incremental'],
} as const;

/** The errors of a restore's spec, except its source and its filters, as texts for `status.validationErrors`. Pure. */
export function specErrors(spec: RestoreSpec): string[] {
  const { existingResourcePolicy: objects, existingVolumeDataPolicy: volumes } = spec;
  return [
    ...(hasWrongInitContainer(spec)
      ? ["invalid InitContainer in restore hook, it doesn't have Command, Name or Image field"]
      : []),
    ...(isOneOf(policies.existingResourcePolicy, objects) ? [] : [`Invalid ExistingResourcePolicy: ${objects}`]),
    ...(isOneOf(policies.existingVolumeDataPolicy, volumes) ? [] : [`Invalid ExistingVolumeDataPolicy: ${volumes}`]),
  ];
}

const isOneOf = (known: readonly string[], value: string | null | undefined): boolean =>
  !value || known.includes(value);

/** The containers are kept as they are given, so nothing else has checked them. */
function hasWrongInitContainer({ hooks }: RestoreSpec): boolean {
  const inits = (hooks?.resources ?? []).flatMap(({ postHooks }) => postHooks ?? []).flatMap(({ init }) => init ?? []);
  return inits
    .flatMap(({ initContainers }) => initContainers ?? [])
    .some((raw) => {
      const { name, image, command } = raw as { name?: unknown; image?: unknown; command?: unknown };
      return !name || !image || !Array.isArray(command) || command.length === 0;
    });
}
