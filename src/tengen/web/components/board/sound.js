// Short sounds for events on the board, synthesised, so that nothing has to be loaded.
let audio = null;
let enabled = false;

export function enableSounds(on) { enabled = !!on; }

// A tone that glides from one frequency to another and dies away.
function tone(start, { from, to = from, length, loud, type = "sine" }) {
  const source = audio.createOscillator();
  const volume = audio.createGain();
  source.type = type;
  source.frequency.setValueAtTime(from, start);
  source.frequency.exponentialRampToValueAtTime(to, start + length);
  volume.gain.setValueAtTime(0.0001, start);
  volume.gain.exponentialRampToValueAtTime(loud, start + 0.004);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
  source.connect(volume).connect(audio.destination);
  source.start(start);
  source.stop(start + length + 0.02);
}

let noise = null;
// A burst of noise around a frequency: the sharp part of a knock.
function knock(start, { frequency, length, loud, sharp = 1.2 }) {
  if (!noise) {
    noise = audio.createBuffer(1, Math.floor(audio.sampleRate * 0.25), audio.sampleRate);
    const samples = noise.getChannelData(0);
    for (let index = 0; index < samples.length; index++) samples[index] = Math.random() * 2 - 1;
  }
  const source = audio.createBufferSource();
  const filter = audio.createBiquadFilter();
  const volume = audio.createGain();
  source.buffer = noise;
  filter.type = "bandpass";
  filter.frequency.value = frequency;
  filter.Q.value = sharp;
  volume.gain.setValueAtTime(loud, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + length);
  source.connect(filter).connect(volume).connect(audio.destination);
  source.start(start);
  source.stop(start + length);
}

const AFTER_THE_LAST_MOVE_S = 0.35;
const melody = (notes, step, type) => (start) =>
  notes.forEach((from, index) => tone(start + AFTER_THE_LAST_MOVE_S + index * step, { from, length: step * 2.2, loud: 0.13, type }));

export const SOUNDS = {
  stone: (start) => {
    knock(start, { frequency: 2600, length: 0.035, loud: 0.9 });
    tone(start, { from: 420, to: 190, length: 0.09, loud: 0.3, type: "triangle" });
  },
  capture: (start, count) => {
    SOUNDS.stone(start);
    for (let index = 0; index < Math.min(count, 6); index++)
      knock(start + 0.09 + index * 0.045, { frequency: 3400 + (index % 3) * 500, length: 0.03, loud: 0.5, sharp: 3 });
  },
  flip: (start, count) => {
    knock(start, { frequency: 1500, length: 0.04, loud: 0.7 });
    for (let index = 0; index < Math.min(count, 7); index++)
      tone(start + 0.08 + index * 0.05, { from: 620 + index * 45, to: 380 + index * 30, length: 0.05, loud: 0.16, type: "triangle" });
  },
  clobber: (start) => {
    knock(start, { frequency: 700, length: 0.07, loud: 1 });
    tone(start, { from: 210, to: 75, length: 0.16, loud: 0.4, type: "triangle" });
  },
  win: melody([523, 659, 784, 1047], 0.11, "triangle"),
  loss: melody([440, 392, 330, 262], 0.14, "sine"),
  draw: melody([440, 554, 440], 0.14, "sine"),
  "low time": (start) => [0, 0.16].forEach((later) => tone(start + later, { from: 880, length: 0.1, loud: 0.14, type: "square" })),
  illegal: (start) => tone(start, { from: 165, to: 120, length: 0.16, loud: 0.22, type: "sawtooth" }),
};

// Play a sound after the next drawing, because the first sound of a page is slow.
export function playSound(name, count = 1) {
  if (!enabled || !SOUNDS[name]) return;
  requestAnimationFrame(() => setTimeout(() => {
    try {
      audio = audio || new (window.AudioContext || window.webkitAudioContext)();
      if (audio.state === "suspended") audio.resume(); // allowed after the first click
      SOUNDS[name](audio.currentTime + 0.005, count);
    } catch (error) {
      // no sound available
    }
  }));
}
