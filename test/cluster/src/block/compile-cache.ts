/** The compile cache variable that the image sets for its programs, if it is set for this process. */
export const compileCache = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      name.startsWith('NODE_COMPILE_CACHE') && value !== undefined ? [[name, value]] : [],
    ),
  );
