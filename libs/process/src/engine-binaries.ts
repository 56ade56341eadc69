/** The engines' programs, as names on PATH or as paths. */
export interface EngineBinaries {
  engineBinary: string;
  resticBinary: string;
}

/** Tests and people who try another build of an engine name it by environment. */
export function engineBinaries(environment: Readonly<Record<string, string | undefined>>): EngineBinaries {
  return { engineBinary: environment.LATEEN_KOPIA || 'kopia', resticBinary: environment.LATEEN_RESTIC || 'restic' };
}
