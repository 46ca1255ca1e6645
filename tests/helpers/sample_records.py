"""Valid records of every format, to be replayed, converted and damaged."""

from __future__ import annotations

START = "-------- -------- -------- ---O*--- ---*O--- -------- -------- --------"
LINE = "D3C3E6D2D1E1B2C1D6"  # a pass is implied before the last move

SOUND: dict[str, list[bytes]] = {
    "sgf": [
        b"(;FF[4]GM[1]SZ[9]KM[6.5]RU[Japanese]PB[Ann]PW[B\\]ob]BR[3k]DT[2024-01-31]RE[B+2.5]EV[Cup]RO[2]PC[Here]TM[600]"
        b"AP[x:1]GC[a game];B[ee]BL[590];W[cc]C[so\\\nft and\nhard: \\\\]TR[aa:bb]LB[dd:1][ee:a\\:b];B[gc]"
        b"(;W[cg]V[-1.5];B[gg];W[];B[tt])(;W[gg]AR[aa:bb]LN[cc:dd]XY[zz][yy](;B[cg])(;B[dg]N[name])))",
        b"(;GM[1]SZ[19]HA[4]AB[dp][pd][dd][pp]KM[0.5];W[qf];B[nc];W[rd];B[qc])"
        b"(;GM[1]SZ[9:13]AB[aa][bb:cc]AW[dd]PL[W];W[ee];B[ef])",
        b"(;GM[2]SZ[8]PB[A]PL[B]B[f5];W[d6];B[c3]C[three];W[d3];B[c4];W[f4](;B[f6])(;B[e3]);)",
    ],
    "ggf": [
        b"(;GM[Othello]PC[GGS/os]DT[2003.12.15_12:33:18.MST]PB[A]PW[B]RB[2196.37]RW[2200.35]RE[-40.00:r]TI[5:00//2:00]"
        b"TY[8]CO[a note]BO[8 " + START.encode() + b" *]B[F5//2.4]W[D6/1.5]B[c3/-2.00/3]CO[hm]W[D3];)",
        b"2 (;GM[othello]PB[]PW[]BO[8 "
        + START.replace(" ", "").encode()
        + b" *]B[F5];)(;GM[Othello]PB[x]PW[y]TY[8r14]"
        b"BO[8 " + START.encode() + b" *]B[e6];)",
    ],
    "obf": [
        b"% two positions\n"
        b"O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X; A2:+38; C7:+36; D8; % FFO\n"
        b"--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O; G3:-12; C7:-12.5;\n",
        b"-OOX-XX--XOO-X-- X;\n",
    ],
    "transcript": [
        LINE.lower().encode() + b"\n",
        b"1. f5 d6\n2. c3 d3\n3. c4 f4 34-30",
        b"f5d6c3\nF5 F6 E6\n",
    ],
    "text": [
        b'[Game "clobber"]\n[board "XOXOXO"]\n[Player 1 Name "Ann \\"x\\""]\n[Foo "bar"]\n'
        b'[Result "1-0"]\n\n{whole}'
        b"1. 1-2 {[%eval 1] a \\} b} 4-3 (4-5 {[%time 2.5] uh} 2. 6-5) 2. 2-3 1-0\n",
        b'[Game "go"]\n[width "9"]\n[height "9"]\n[komi "7.0"]\n[Player 2 Rating "5d"]\n'
        b"\n1. E5 C3 2. pass G7 *\n\n"
        b'[Game "clobber"]\n[board "XO/OX"]\n\n1. a2-b2 *\n',
    ],
}


def wthor(games: list[bytes], year: int = 2001, size: int = 8) -> bytes:
    head = bytes([20, 1, 2, 3]) + len(games).to_bytes(4, "little") + bytes(2) + year.to_bytes(2, "little")
    return head + bytes([size, 0, 22, 0]) + b"".join(games)


def wthor_game(line: str, black: int = 1, white: int = 2, event: int = 3, discs: int = 40) -> bytes:
    squares = [line[i : i + 2].lower() for i in range(0, len(line), 2)]
    codes = bytes(10 * int(square[1]) + "abcdefgh".index(square[0]) + 1 for square in squares)
    numbers = b"".join(number.to_bytes(2, "little") for number in (event, black, white))
    return numbers + bytes([discs, 32]) + codes.ljust(60, b"\0")


SOUND["wthor"] = [wthor([wthor_game(LINE), wthor_game("F5F6E6F4", discs=32)])]

PENTE: dict[str, list[bytes]] = {
    "pente.org": [
        b'[Game "Pente"]\n[Site "Pente.org"]\n[Event "Turn-based Game"]\n[Round "-"]\n'
        b'[Section "-"]\n[Date "01/19/2014"]\n'
        b'[Time "21:22:25"]\n[TimeControl "5"]\n[Rated "Y"]\n[Player 1 Name "xtra"]\n[Player 2 Name "data"]\n'
        b'[Player 1 Rating "2488"]\n[Player 2 Rating "1696"]\n[Player 1 Type "Human"]\n[Player 2 Type "Human"]\n'
        b'[Result "1-0"]\n\n1. K10 M9 2. N10 M7 3. M8 O7 4. L10 J10 5. M10 O10 1-0\n',
        b'[Game "Speed Keryo-Pente"]\n[Result "0-1"]\n\n1. K10 M9 2. N10 0-1\n\n[Game "Gomoku"]\n\n1. K10 M9 *\n',
    ],
    "psq": [
        b"Piskvorky 15x15, 11:11, 0\n8,8,0\n9,8,1500\n8,9,12\n1,15,1\npbrain-a.zip\nb\n-1\n0,Freestyle15_1\n",
        b"Piskvorky 9x9, 0:0, 1\r\n1,1\r\n9,9\r\n-1\r\nPiskvorky 5x5, 0:0, 0\r\n3,3,7\r\n",
    ],
    "sgf": [
        b"(;FF[4]GM[4]SZ[15]RU[gomoku]PB[A];B[hh];W[ii];B[gg]C[x](;W[ff])(;W[jj]))",
        b"(;GM[31]SZ[19]RU[Keryo-Pente]PB[White's rival]PW[First];W[jj];B[kk];W[mm])",
        b"(;GM[4]SZ[9]RU[keryo]AB[aa:ca]AW[dd][ee]PL[W]PB[A];W[ff];B[gg]TB[aa]WT[x];W[hh])",
        b"(;GM[4]SZ[9]RU[swap2-pente]PB[Ann]PW[Bob]RE[B+];B[ee];W[dd];B[cc];TAKE[more];W[aa];B[bb]V[1]"
        b"(;TAKE[white];W[ff]V[-2.5])(;TAKE[black];W[gg]))",
        b"(;GM[4]SZ[15]RU[d-pente]PB[Ann]PW[Bob]RE[W+R];W[hh];B[ii];W[gg];B[ff];W[jj]OW[3]BL[7])",
    ],
}
