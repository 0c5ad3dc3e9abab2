/** Where the drawing has its parts: side by side, and as a column for narrow pages. Pure. */

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

type Name = 'input' | 'log' | 'projector' | 'sink' | 'profiles' | 'analytics';

export interface Layout {
  readonly name: 'wide' | 'column';
  readonly width: number;
  readonly heightOf: (generations: number) => number;
  readonly boxes: Readonly<Record<Name, Box>>;
  readonly paths: Readonly<Record<Exclude<Name, 'log'>, string>>;
  readonly labels: Readonly<Record<'projector' | 'sink', readonly [x: number, y: number]>>;
  readonly anchor: 'middle' | 'start';
  /** Between the rate and what waits. */
  readonly labelGap: number;
  readonly generationBox: (index: number) => Box;
  readonly generationPath: (box: Box) => string;
}

const GENERATION_STEP = 72;

/** Below this the parts do not fit side by side. */
const LEAST_WIDE = 680;
const MOST_WIDE = 1080;
const MOST_COLUMN = 480;

/** For this width in pixels: texts are never scaled. */
export function layoutFor(pixels: number): Layout {
  return pixels < LEAST_WIDE ? column(Math.min(pixels, MOST_COLUMN)) : wide(Math.min(pixels, MOST_WIDE));
}

const INPUT = 140;
const LOG = 112;
const READER = 160;
const STORE = 120;

function wide(width: number): Layout {
  const rest = width - INPUT - LOG - READER - STORE;
  const log = INPUT + Math.round(rest * 0.14);
  const reader = log + LOG + Math.round(rest * 0.72);
  const store = width - STORE;
  const fork = log + LOG;
  const bend = (y: number): string => `M${fork} 136C${fork + 40} 136 ${fork + 12} ${y} ${fork + 52} ${y}H${reader}`;
  const middle = (fork + reader) / 2 + 12;
  return {
    name: 'wide',
    width,
    heightOf: (generations) => 272 + GENERATION_STEP * generations,
    boxes: {
      input: { x: 0, y: 80, w: INPUT, h: 112 },
      log: { x: log, y: 92, w: LOG, h: 88 },
      projector: { x: reader, y: 4, w: READER, h: 88 },
      sink: { x: reader, y: 180, w: READER, h: 88 },
      profiles: { x: store, y: 4, w: STORE, h: 88 },
      analytics: { x: store, y: 180, w: STORE, h: 88 },
    },
    paths: {
      input: `M${INPUT} 136H${log}`,
      projector: bend(48),
      sink: bend(224),
      profiles: `M${reader + READER} 48H${store}`,
      analytics: `M${reader + READER} 224H${store}`,
    },
    labels: { projector: [middle, 38], sink: [middle, 214] },
    anchor: 'middle',
    labelGap: 29,
    generationBox: (index) => ({ x: reader, y: 296 + GENERATION_STEP * index, w: width - reader, h: 56 }),
    generationPath: ({ x, y, h }) => `M${log + LOG / 2} 180V${y + h / 2 - 16}q0 16 16 16H${x}`,
  };
}

function column(width: number): Layout {
  const inner = width - 32;
  return {
    name: 'column',
    width,
    heightOf: (generations) => 736 + GENERATION_STEP * generations,
    boxes: {
      input: { x: 0, y: 0, w: width, h: 108 },
      log: { x: 0, y: 136, w: width, h: 88 },
      projector: { x: 32, y: 288, w: inner, h: 88 },
      profiles: { x: 32, y: 392, w: inner, h: 88 },
      sink: { x: 32, y: 544, w: inner, h: 88 },
      analytics: { x: 32, y: 648, w: inner, h: 88 },
    },
    paths: {
      input: `M${width / 2} 108V136`,
      projector: 'M12 224V316q0 16 16 16H32',
      sink: 'M12 224V572q0 16 16 16H32',
      profiles: 'M180 376V392',
      analytics: 'M180 632V648',
    },
    labels: { projector: [32, 244], sink: [32, 500] },
    anchor: 'start',
    labelGap: 18,
    generationBox: (index) => ({ x: 32, y: 760 + GENERATION_STEP * index, w: inner, h: 56 }),
    generationPath: ({ x, y, h }) => `M12 224V${y + h / 2 - 16}q0 16 16 16H${x}`,
  };
}
